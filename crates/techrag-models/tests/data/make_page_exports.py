"""Make tiny page networks as exporters write them, some that can be used and some that cannot.

    python -m venv v && v/bin/pip install numpy==2.4.6 onnx==1.23.2 tokenizers
    v/bin/python make_page_exports.py

Writes page-exports/tokenizer.json and page-exports/<variant>.onnx. All compute the same: a row of a table for each
token, plus the mean of the pixels. Tiles are 4 pixels wide and make 4 vectors of 4 values.
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

HERE = Path(__file__).parent / "page-exports"
DIM, TILE = 4, 4
SPECIAL = ["<image>", "<fake_token_around_image>", "<global-img>", "<end>",
           *(f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2))]
WORDS = ["<unk>", "User", "page", "slip", "tyre", "nan"]

# Variant: what it does otherwise than the plain one.
VARIANTS = {
    "plain": {},
    "no-mask": {"mask": None},
    "bool-mask": {"mask": (T.BOOL, ["batch", "tiles", TILE, TILE])},
    "no-batch": {"pixels": ["tiles", 3, TILE, TILE], "mask": (T.INT64, ["tiles", TILE, TILE])},
    "half": {"output": ("output_0", T.FLOAT16)},
    "flat": {"flat": True},
    "five-tiles": {"pixels": ["batch", 5, 3, TILE, TILE], "mask": (T.INT64, ["batch", 5, TILE, TILE])},
    "five-tokens": {"ids": ["batch", 5]},
    "other-tile": {"pixels": ["batch", "tiles", 3, 6, 6]},
    "half-pixels": {"pixel_type": T.FLOAT16},
    "blind": {"pixels": None, "mask": None},
    "unknown-input": {"extra": "past_key_values"},
    "two-outputs": {"output": ("logits", T.FLOAT), "second": True},
    "whole-output": {"output": ("embeddings", T.INT64)},
    "other-dim": {"dim": 5},
    "no-ids": {"ids_name": "tokens"},
}


def tokenizer():
    made = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in SPECIAL])
    return made


def table(dim):
    rows = np.random.default_rng(9).normal(0, 1, (len(WORDS) + len(SPECIAL), dim)).astype(np.float32)
    rows[WORDS.index("nan")] = np.nan
    return rows


def model(mask=(T.INT64, ["batch", "tiles", TILE, TILE]), pixels=("batch", "tiles", 3, TILE, TILE), ids=("batch", "sequence"),
          output=("embeddings", T.FLOAT), pixel_type=T.FLOAT, dim=DIM, flat=False, extra=None, second=False, ids_name="input_ids"):
    inputs = [helper.make_tensor_value_info(ids_name, T.INT64, list(ids)),
              helper.make_tensor_value_info("attention_mask", T.INT64, list(ids))]
    nodes = [helper.make_node("Gather", ["table", ids_name], ["rows"])]
    last = "rows"

    def add_mean(name, cast, weight):
        nonlocal last
        nodes.extend([
            helper.make_node("Cast", [name], [f"{name}_f32"], to=T.FLOAT) if cast else
            helper.make_node("Identity", [name], [f"{name}_f32"]),
            helper.make_node("ReduceMean", [f"{name}_f32"], [f"{name}_mean"], keepdims=0),
            helper.make_node("Mul", [f"{name}_mean", weight], [f"{name}_part"]),
            helper.make_node("Add", [last, f"{name}_part"], [f"{name}_sum"]),
        ])
        last = f"{name}_sum"

    add_mean("attention_mask", True, "nothing")
    if pixels:
        inputs.append(helper.make_tensor_value_info("pixel_values", pixel_type, list(pixels)))
        add_mean("pixel_values", pixel_type != T.FLOAT, "one")
    if mask:
        inputs.append(helper.make_tensor_value_info("pixel_attention_mask", mask[0], mask[1]))
        add_mean("pixel_attention_mask", True, "nothing")
    if extra:
        inputs.append(helper.make_tensor_value_info(extra, T.FLOAT, [1]))
        add_mean(extra, False, "nothing")
    if flat:
        nodes.append(helper.make_node("Reshape", [last, "row_shape"], ["flat"]))
        last = "flat"
    name, kind = output
    nodes.append(helper.make_node("Cast", [last], [name], to=kind))
    shape = ["sequence", dim] if flat else [*ids, dim]
    outputs = [helper.make_tensor_value_info(name, kind, shape)]
    if second:
        nodes.append(helper.make_node("Identity", [last], ["hidden"]))
        outputs.append(helper.make_tensor_value_info("hidden", T.FLOAT, shape))
    constants = [numpy_helper.from_array(table(dim), "table"), numpy_helper.from_array(np.float32(0), "nothing"),
                 numpy_helper.from_array(np.float32(1), "one")]
    if flat:
        constants.append(numpy_helper.from_array(np.array([-1, dim], np.int64), "row_shape"))
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(made)
    return made


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    tokenizer().save(str(HERE / "tokenizer.json"), pretty=False)
    for variant, changes in VARIANTS.items():
        onnx.save(model(**changes), HERE / f"{variant}.onnx")
