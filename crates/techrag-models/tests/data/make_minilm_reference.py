"""Write minilm_reference.json: embeddings of a few texts by all-MiniLM-L6-v2, computed in numpy from its safetensors.

    python -m venv v && v/bin/pip install numpy safetensors tokenizers
    v/bin/python make_minilm_reference.py FOLDER      (model.safetensors, config.json, tokenizer.json)

Tokenised as sentence-transformers does (256 word pieces, special tokens included), pooled by the mean, of length 1.
"""

import json
import sys
from pathlib import Path

from safetensors.numpy import load_file
from tokenizers import Tokenizer

from bert_numpy import Bert

HERE = Path(__file__).parent
TEXTS = [
    "How is the tyre-road friction coefficient estimated before emergency braking?",
    "The slip angle of the contact patch is recovered from the lateral acceleration of the inner liner.",
    "μ = 0.85 ± 0.05 at 4.2 kN, C_α ≈ 85 kN/rad",
    "naïve Übermaß coöperation",
    "🛞🛞🛞",
    "",
    # Longer than 256 word pieces: the reference is the embedding of its beginning.
    "The magic formula describes the lateral force as a function of the slip angle. " * 30,
]


def main() -> None:
    folder = Path(sys.argv[1])
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    bert = Bert(config, load_file(folder / "model.safetensors"))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()
    rows = []
    for text in TEXTS:
        encoding = tokenizer.encode(text)
        vector = bert.tokens(encoding.ids, encoding.type_ids).mean(axis=0)
        vector /= (vector**2).sum() ** 0.5
        rows.append({"text": text, "vector": [round(float(value), 7) for value in vector]})
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    (HERE / "minilm_reference.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
