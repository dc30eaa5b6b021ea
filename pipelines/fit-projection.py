#!/usr/bin/env python3
"""Fits the matrix that shortens token vectors for the embedded page encoder (crates/techrag-models/data).

usage: fit-projection.py MODEL OUTPUT CORPUS.jsonl...
       MODEL is a folder with model.onnx and tokenizer.json; CORPUS lines carry "title" and "text" (BEIR's form).
       Needs numpy, onnxruntime and tokenizers: python -m venv v && v/bin/pip install numpy onnxruntime tokenizers
records: texts → OUTPUT, f16 little-endian, 384 rows of 128 (one row for each input value)

How minilm-pca128-v1 was made: from Cranfield, CISI and the HotpotQA sample, so that the papers it is measured on
(docs/VISUAL.md) took no part. Of each corpus the same number of texts, spread evenly over the file, so that there is
no randomness; each in windows of the model's own length, as pages are read. Token vectors (special tokens left out) are
brought to length 1; the matrix holds the first principal directions of their covariance about the mean. Vectors are
projected without subtracting that mean, since a constant added to both sides would blur inner products. Signs are
fixed (the largest entry of a direction is positive), so that the same input gives the same matrix up to rounding.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

TEXTS_A_CORPUS = 250
MAX_TOKENS = 256
DIM = 128


def texts(path):
    lines = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    bodies = [f"{line.get('title', '')} {line['text']}".strip() for line in lines]
    bodies = [body for body in bodies if len(body) > 200]
    step = max(1, len(bodies) // TEXTS_A_CORPUS)
    return bodies[::step][:TEXTS_A_CORPUS]


def token_vectors(session, tokenizer, text):
    encoding = tokenizer.encode(text)
    ids = np.array([encoding.ids], np.int64)
    feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    names = {given.name for given in session.get_inputs()}
    [out] = session.run([session.get_outputs()[0].name], {name: value for name, value in feeds.items() if name in names})
    kept = out[0][np.array(encoding.special_tokens_mask) == 0].astype(np.float64)
    return kept / np.linalg.norm(kept, axis=1, keepdims=True)


def main():
    model, output, *corpora = sys.argv[1:]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(Path(model) / "model.onnx"), options)
    tokenizer = Tokenizer.from_file(str(Path(model) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    count, total, square = 0, 0.0, 0.0
    for corpus in corpora:
        chosen = texts(corpus)
        print(f"{corpus}: {len(chosen)} texts", file=sys.stderr, flush=True)
        for text in chosen:
            vectors = token_vectors(session, tokenizer, text)
            count += len(vectors)
            total = total + vectors.sum(axis=0)
            square = square + vectors.T @ vectors
    mean = total / count
    values, directions = np.linalg.eigh(square / count - np.outer(mean, mean))
    matrix = directions[:, ::-1][:, :DIM]
    matrix = matrix * np.sign(matrix[np.abs(matrix).argmax(axis=0), np.arange(DIM)])
    kept = values[::-1][:DIM].sum() / values.sum()
    Path(output).write_bytes(matrix.astype("<f2").tobytes())
    print(f"{count} token vectors, mean of length {np.linalg.norm(mean):.3f}; {kept:.4f} of the variance kept", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main()
