#!/usr/bin/env python3
"""Exports NeoMME-Retriever to ONNX, for crates/techrag-models/models.toml.

usage: export-neomme.py OUTPUT [--model Hcompany/NeoMME-260M-Retriever]
       OUTPUT gets model.onnx with model.onnx.data and tokenizer.json: name it .models/NeoMME-260M-Retriever.
       python -m venv v && v/bin/pip install torch==2.13.0 transformers==5.24.0 onnx==1.23.2 onnxscript==0.7.2 \\
           onnxruntime==1.32.0 numpy

What was run: the network below, with random weights and seven narrow layers, with these versions: equal to the
library's forward pass, and its export to both within 6e-7 for two pages and a query. The tests of techrag-models hold
our ids, positions and vectors against that export. What was not run: this file on the published weights, for want of a
way to fetch them here; the prompt of queries (`<query>`, text, ten `<mask>`) is that of the published chat template, as
public code quotes it. So it checks its own result on the spot and leaves nothing behind that differs.

Why not torch.onnx.export of the model as it is: the library builds its masks with helpers that do not trace.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from transformers import AutoTokenizer, NeoMMEForRetrieval

TOLERANCE = 1e-3


class Exportable(torch.nn.Module):
    """NeoMMEForRetrieval with its masks written out."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def masks(self, attention_mask, length, kind):
        """The additive mask of each layer: all tokens, or those within its window."""
        config = self.model.model.config
        at = torch.arange(length)
        distance = (at[:, None] - at[None, :]).abs()
        present = attention_mask.bool()[:, None, None, :]
        nothing, never = torch.zeros((), dtype=kind), torch.full((), torch.finfo(kind).min, dtype=kind)
        by_window = {}
        for layer in range(config.num_hidden_layers):
            window = config.per_layer_config[layer].sliding_window
            if window not in by_window:
                open_ = present if window is None else present & (distance <= window)[None, None]
                by_window[window] = torch.where(open_, nothing, never).expand(-1, 1, length, length)
            yield by_window[window]

    def forward(self, input_ids, attention_mask, position_ids, pixel_values):
        inner = self.model.model
        config = inner.config
        words = inner.embed_tokens(input_ids)
        patches = inner.patch_embeddings(pixel_values)
        # The image token right after the document token opens the picture; it stands for no patch.
        before = torch.nn.functional.pad(input_ids[:, :-1], (1, 0), value=0)
        is_patch = (input_ids == config.image_token_id) & (before != config.document_token_id)
        at = (torch.cumsum(is_patch.flatten().long(), 0) - 1).clamp(min=0).reshape(is_patch.shape)
        x = start = inner.embedding_norm(torch.where(is_patch.unsqueeze(-1), patches[at], words))
        turns = {kind: inner.rotary_emb(x, position_ids, kind) for kind in set(config.layer_types)}
        values = inner.value_embeddings(input_ids)
        masks = self.masks(attention_mask, input_ids.shape[1], x.dtype)
        for index, (layer, mask) in enumerate(zip(inner.layers, masks)):
            x = layer(x, start, values if index in inner.value_embedding_layers else None,
                      position_embeddings=turns[layer.attention_type], attention_mask=mask)
        x = inner.final_norm(x)
        return self.model.multi_vector_head(x, attention_mask), self.model.dense_head(x, attention_mask)


def page(config, across, down, seed):
    """A page of random patches as the library lays it out."""
    ids = [config.document_token_id, config.image_token_id]
    ids += ([config.image_token_id] * across + [config.row_token_id]) * down
    positions = np.empty((2, 1, len(ids)), np.int64)
    positions[:, 0, :2] = np.arange(2)
    positions[0, 0, 2:] = 2 + np.repeat(np.arange(down), across + 1)
    positions[1, 0, 2:] = 2 + np.tile(np.arange(across + 1), down)
    pixels = np.random.default_rng(seed).uniform(-1, 1, (across * down, 3 * config.patch_size ** 2))
    return {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long),
            "position_ids": torch.tensor(positions), "pixel_values": torch.tensor(pixels.astype(np.float32))}


def query(tokenizer, config):
    ids = tokenizer("<query>What is the recall of the second stage?" + "<mask>" * 10, return_tensors="pt").input_ids
    along = torch.arange(ids.shape[1])[None, None].expand(2, 1, -1).contiguous()
    given = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    return given, {"position_ids": along, "pixel_values": torch.zeros(1, 3 * config.patch_size ** 2)}


def export(network, example, path):
    any_side = torch.export.Dim.DYNAMIC
    sides = {"input_ids": {1: any_side}, "attention_mask": {1: any_side}, "position_ids": {2: any_side},
             "pixel_values": {0: any_side}}
    with torch.no_grad():
        torch.onnx.export(network, (), str(path), kwargs=example, input_names=list(example),
                          output_names=["embeddings", "dense_embeddings"], dynamic_shapes=sides, opset_version=18,
                          dynamo=True, external_data=True)


def check(model, tokenizer, path):
    """Holds the export against the library's own forward pass."""
    session = onnxruntime.InferenceSession(str(path))
    config = model.config
    cases = [("page", page(config, 30, 40, 0), {}), ("page", page(config, 20, 25, 1), {}),
             ("query", *query(tokenizer, config))]
    for label, given, more in cases:
        with torch.no_grad():
            expected = model(**given).embeddings.to(torch.float32).numpy()
        [found] = session.run(["embeddings"], {name: value.numpy() for name, value in {**given, **more}.items()})
        worst = float(np.abs(found - expected).max())
        print(f"{label}: {found.shape[1]} vectors, largest difference {worst:.2e}", file=sys.stderr)
        if not worst < TOLERANCE:
            sys.exit(f"{label}: the export differs by {worst}; nothing was kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="the model's folder")
    parser.add_argument("--model", default="Hcompany/NeoMME-260M-Retriever", help="repository or folder (default: %(default)s)")
    args = parser.parse_args()
    model = NeoMMEForRetrieval.from_pretrained(args.model, dtype=torch.float32, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.output.parent) as work:
        work = Path(work) / "model"
        work.mkdir()
        export(Exportable(model).eval(), page(model.config, 30, 40, 0), work / "model.onnx")
        check(model, tokenizer, work / "model.onnx")
        tokenizer.backend_tokenizer.save(str(work / "tokenizer.json"))
        shutil.move(str(work), args.output)
    print(f"{args.output}: done", file=sys.stderr)


if __name__ == "__main__":
    main()
