"""Write potion_reference.json: embeddings of a few texts by potion-base-8M, computed in numpy as model2vec does.

    python -m venv v && v/bin/pip install numpy safetensors tokenizers
    v/bin/python make_potion_reference.py FOLDER      (model.safetensors, tokenizer.json)

No special tokens, unknown words left out, the mean of the others' vectors, of length 1.
"""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

HERE = Path(__file__).parent
TEXTS = [
    "How is the tyre-road friction coefficient estimated before emergency braking?",
    "The slip angle of the contact patch is recovered from the lateral acceleration of the inner liner.",
    "μ = 0.85 ± 0.05 at 4.2 kN, C_α ≈ 85 kN/rad",
    "naïve Übermaß coöperation",
    # An unknown word between known ones.
    "slip 🛞 angle",
]


def main() -> None:
    folder = Path(sys.argv[1])
    table = load_file(folder / "model.safetensors")["embeddings"].astype(np.float64)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    unknown = tokenizer.token_to_id("[UNK]")
    rows = []
    for text in TEXTS:
        ids = [i for i in tokenizer.encode(text, add_special_tokens=False).ids if i != unknown]
        vector = table[ids].mean(axis=0)
        vector /= (vector**2).sum() ** 0.5
        rows.append({"text": text, "vector": [round(float(value), 7) for value in vector]})
    lines = ",\n".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    (HERE / "potion_reference.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
