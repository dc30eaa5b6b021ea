#!/usr/bin/env python3
"""Exports ColSmol (ColIdefics3) to ONNX with any number of tiles, for crates/techrag-models/models.toml.

usage: export-colsmol.py OUTPUT [--model vidore/colSmol-500M]
       OUTPUT gets model.onnx with model.onnx.data, tokenizer.json and preprocessor_config.json: name it
       .models/colSmol-500M. In an environment of its own (about 5 GB; 8 GB of memory for the 500M model):
       python -m venv v && v/bin/pip install colpali-engine==0.3.18 peft onnx==1.23.2 onnxscript==0.7.2 onnxruntime==1.32.0
       (they bring torch 2.13, torchvision 0.28, transformers 5.24)

What was run: the network below, with random weights and two layers a tower, with exactly these versions: equal to the
library's own forward pass (largest difference 0.0), and its export equal to both within 1.2e-6 for 17, 13 and 9 tiles,
a batch of two with padding, and a query without a picture. The tests of techrag-models hold our tiling, ids and vectors
against that export. What was not run: this file on the published weights, for want of a way to fetch them here. So
it checks its own result on the spot and leaves nothing behind that differs.

Why not torch.onnx.export of the model as it is: the library leaves out padding tiles by a mask (a shape that depends on
values), cuts the mask of pixels by `unfold` and counts image tokens in the graph; both exporters refuse. The network
here does the same sums without: all tiles go through the tower, and each image token takes its row by a running count.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from colpali_engine.models import ColIdefics3, ColIdefics3Processor
from PIL import Image

INPUTS = ["input_ids", "attention_mask", "pixel_values", "pixel_attention_mask"]
TOLERANCE = 1e-3
# Pages of thirteen, seventeen and nine tiles.
PAGES = [(714, 1011), (850, 1100), (850, 300)]


class Exportable(torch.nn.Module):
    """ColIdefics3 without shapes that depend on values."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.image_token = model.config.image_token_id
        self.patch = model.config.vision_config.patch_size

    def forward(self, input_ids, attention_mask, pixel_values, pixel_attention_mask):
        inner = self.model.model
        batch, tiles, channels, height, width = pixel_values.shape
        seen = pixel_attention_mask.reshape(
            batch * tiles, height // self.patch, self.patch, width // self.patch, self.patch)
        seen = seen.to(torch.float32).amax(dim=(2, 4)) > 0
        # A tile that only pads a batch is never looked up; seen as whole it divides by no zero.
        seen = seen | ~seen.flatten(1).any(dim=1)[:, None, None]
        towers = inner.vision_model(
            pixel_values=pixel_values.reshape(batch * tiles, channels, height, width), patch_attention_mask=seen)
        features = inner.connector(towers.last_hidden_state)
        rows = tiles * features.shape[1]
        features = features.reshape(batch, rows, features.shape[-1])
        embedded = inner.text_model.get_input_embeddings()(input_ids)
        is_image = input_ids == self.image_token
        at = (torch.cumsum(is_image.to(torch.int64), dim=1) - 1).clamp(min=0)
        at = torch.minimum(at, torch.ones_like(at) * (rows - 1))
        looked_up = torch.gather(features, 1, at.unsqueeze(-1).expand(-1, -1, features.shape[-1]))
        merged = torch.where(is_image.unsqueeze(-1), looked_up, embedded)
        hidden = inner.text_model(
            inputs_embeds=merged, attention_mask=attention_mask, use_cache=False).last_hidden_state
        vectors = self.model.linear(hidden)
        vectors = vectors / vectors.norm(dim=-1, keepdim=True)
        return vectors * attention_mask.unsqueeze(-1).to(vectors.dtype)


def opened(name):
    """The model with its adapter's weights added into those they adapt."""
    model = ColIdefics3.from_pretrained(name, torch_dtype=torch.float32, device_map="cpu").eval()
    try:
        from peft.tuners.tuners_utils import BaseTunerLayer
    except ImportError:
        sys.exit("peft is needed: the published weights are an adapter")
    for module in model.modules():
        if isinstance(module, BaseTunerLayer):
            module.merge()
    return model, ColIdefics3Processor.from_pretrained(name)


def page(processor, size):
    picture = Image.fromarray(np.random.default_rng(1).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))
    batch = processor.process_images([picture])
    return {name: batch[name] for name in INPUTS}


def query(processor, text):
    batch = processor.process_queries([text])
    empty = {"pixel_values": torch.zeros(1, 1, 3, 512, 512),
             "pixel_attention_mask": torch.zeros(1, 1, 512, 512, dtype=torch.int64)}
    return {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}, empty


def export(network, example, path):
    any_side = torch.export.Dim.DYNAMIC
    sides = {name: {0: any_side, 1: any_side} for name in INPUTS}
    with torch.no_grad():
        torch.onnx.export(network, (), str(path), kwargs=example, input_names=INPUTS, output_names=["embeddings"],
                          dynamic_shapes=sides, opset_version=18, dynamo=True, external_data=True)


def check(model, processor, path):
    """Holds the export against the library's own forward pass."""
    session = onnxruntime.InferenceSession(str(path))
    text, empty = query(processor, "What is the recall of the second stage?")
    cases = [(f"{size}", page(processor, size), None) for size in PAGES] + [("query", text, empty)]
    for label, given, more in cases:
        with torch.no_grad():
            expected = model(**given).to(torch.float32).numpy()
        feeds = {name: value.numpy() for name, value in {**given, **(more or {})}.items()}
        [found] = session.run(["embeddings"], feeds)
        worst = float(np.abs(found - expected).max())
        print(f"{label}: {found.shape[1]} vectors, largest difference {worst:.2e}", file=sys.stderr)
        if not worst < TOLERANCE:
            sys.exit(f"{label}: the export differs by {worst}; nothing was kept")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path, help="the model's folder")
    parser.add_argument("--model", default="vidore/colSmol-500M", help="repository or folder (default: %(default)s)")
    args = parser.parse_args()
    model, processor = opened(args.model)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=args.output.parent) as work:
        work = Path(work) / "model"
        work.mkdir()
        # The smallest page of several tiles, so that no side is taken for fixed.
        export(Exportable(model).eval(), page(processor, PAGES[2]), work / "model.onnx")
        check(model, processor, work / "model.onnx")
        processor.tokenizer.backend_tokenizer.save(str(work / "tokenizer.json"))
        processor.image_processor.save_pretrained(work)
        shutil.move(str(work), args.output)
    print(f"{args.output}: done", file=sys.stderr)


if __name__ == "__main__":
    main()
