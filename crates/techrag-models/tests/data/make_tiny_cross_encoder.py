"""Make a tiny cross-encoder of random weights, a tiny encoder that misbehaves, and a tiny sparse encoder.

    python -m venv v && v/bin/pip install numpy==2.4.6 onnx==1.23.2 safetensors==0.8.0 tokenizers
    v/bin/python make_tiny_cross_encoder.py

Writes tiny-cross-encoder/{model.onnx,tokenizer.json,logits.json}: the graph through pipelines/convert-bert.py, the
logits in numpy without it. And tiny-encoder/{model.onnx,tokenizer.json}: a table of word vectors in which the word
`nan` is not a number, every other word is a unit vector and the special tokens are zero, so that a text can be made
whose embedding must be refused. The tokeniser file carries the truncation and the padding that real ones carry and
that must be switched off. And tiny-sparse/{model.onnx,tokenizer.json}: a table of logits in which each word leads to
itself (logit e - 1, weight 1) and to the word after it in the list (logit 1, weight 0.693); `nan` is not a number,
everything else below 0.
"""

import importlib.util
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from bert_numpy import Bert

HERE = Path(__file__).parent
RECIPE = HERE.parents[3] / "pipelines" / "convert-bert.py"
MAX_TOKENS = 128
CONFIG = {"hidden_size": 16, "num_attention_heads": 4, "num_hidden_layers": 2, "layer_norm_eps": 1e-12}
INNER = 32
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = "tyre friction slip angle force braking load wheel sensor road model the of and is a in by how nan zero , . ? -".split()
PAIRS = [
    ("how is friction estimated?", "the slip of the wheel and the force on the road"),
    ("how is friction estimated?", ""),
    ("tyre", "tyre"),
    ("slip angle sensor", "unrelated words entirely, in a row."),
    ("road load", "the tyre model of the road " * 60),
    ("friction " * 200, "braking force " * 200),
]


def vocabulary() -> dict[str, int]:
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = SPECIAL + WORDS + [c for c in letters if c not in WORDS] + [f"##{c}" for c in letters]
    return {piece: index for index, piece in enumerate(pieces)}


def make_tokenizer(words: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(words, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[(name, words[name]) for name in ("[CLS]", "[SEP]")],
    )
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=16)
    return tokenizer


def random_weights(rng: np.random.Generator, words: int) -> dict[str, np.ndarray]:
    hidden = CONFIG["hidden_size"]
    shapes = {f"embeddings.{kind}_embeddings.weight": (rows, hidden)
              for kind, rows in (("word", words), ("position", MAX_TOKENS), ("token_type", 2))}
    linears = {"pooler.dense": (hidden, hidden), "classifier": (1, hidden)}
    norms = ["embeddings.LayerNorm"]
    for index in range(CONFIG["num_hidden_layers"]):
        layer = f"encoder.layer.{index}"
        linears |= {f"{layer}.attention.self.{part}": (hidden, hidden) for part in ("query", "key", "value")}
        linears |= {f"{layer}.attention.output.dense": (hidden, hidden),
                    f"{layer}.intermediate.dense": (INNER, hidden), f"{layer}.output.dense": (hidden, INNER)}
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name, (rows, columns) in linears.items():
        shapes |= {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}
    weights = {name: rng.normal(0, 0.5, shape) for name, shape in shapes.items()}
    for name in norms:
        weights[f"{name}.weight"] = 1 + rng.normal(0, 0.1, hidden)
        weights[f"{name}.bias"] = rng.normal(0, 0.1, hidden)
    return {name: value.astype(np.float32) for name, value in weights.items()}


def pair_ids(tokenizer: Tokenizer, query: str, passage: str) -> tuple[list[int], list[int]]:
    """The pair as the library cuts it: the passage gives way, and a query of over half the room too."""
    first, second = (tokenizer.encode(text, add_special_tokens=False).ids for text in (query, passage))
    room = MAX_TOKENS - 3
    kept = min(len(second), max(room - len(first), room // 2))
    first, second = first[: room - kept], second[:kept]
    begin, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    return [begin, *first, end, *second, end], [0] * (len(first) + 2) + [1] * (len(second) + 1)


def cross_encoder(words: dict[str, int]) -> None:
    folder = HERE / "tiny-cross-encoder"
    weights = random_weights(np.random.default_rng(20261130), len(words))
    spec = importlib.util.spec_from_file_location("convert_bert", RECIPE)
    recipe = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recipe)
    onnx.save(recipe.model_of(recipe.Bert(CONFIG, weights), "classifier"), folder / "model.onnx")
    make_tokenizer(words).save(str(folder / "tokenizer.json"), pretty=False)
    plain = make_tokenizer(words)
    plain.no_truncation()
    plain.no_padding()
    reference = Bert(CONFIG, weights)
    rows = [{"query": query, "passage": passage,
             "logit": round(float(reference.logits(*pair_ids(plain, query, passage))[0]), 6)} for query, passage in PAIRS]
    (folder / "logits.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def misbehaving_encoder(words: dict[str, int]) -> None:
    folder = HERE / "tiny-encoder"
    table = np.zeros((len(words), 4), np.float32)
    for index in range(len(SPECIAL), len(words)):
        table[index, index % 4] = 1
    table[words["nan"]] = np.nan
    table[words["zero"]] = 0
    table_of(table, "last_hidden_state", folder, words)


def table_of(table: np.ndarray, output: str, folder: Path, words: dict[str, int]) -> None:
    """A graph that looks each token up in a table, and the tokeniser beside it."""
    node = helper.make_node("Gather", ["table", "input_ids"], [output])
    graph = helper.make_graph(
        [node], "table", [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "sequence"])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", "sequence", table.shape[1]])],
        [numpy_helper.from_array(table, "table")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    folder.mkdir(exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    make_tokenizer(words).save(str(folder / "tokenizer.json"), pretty=False)


def sparse_encoder(words: dict[str, int]) -> None:
    table = np.full((len(words), len(words)), -1, np.float32)
    for index in range(len(SPECIAL), len(words)):
        table[index, index] = np.e - 1
        if index + 1 < len(words):
            table[index, index + 1] = 1
    table[words["nan"]] = np.nan
    table_of(table, "logits", HERE / "tiny-sparse", words)


if __name__ == "__main__":
    cross_encoder(vocabulary())
    misbehaving_encoder(vocabulary())
    sparse_encoder(vocabulary())
