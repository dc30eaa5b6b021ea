#!/usr/bin/env python3
"""Make ONNX graphs of Whisper weights in the CTranslate2 format: encoder.onnx and decoder.onnx.

    convert-whisper.py FOLDER OUTPUT    FOLDER holds model.bin, or its parts model.bin.part1, …, and tokenizer.json;
                                        OUTPUT is encoder.onnx, decoder.onnx is written beside it

Needs numpy and onnx only. `fetch-models.py` runs it in a throw-away environment for packages that ship weights for
CTranslate2. The graphs are written out layer by layer after Radford et al. 2022 (pre-norm transformer, exact GELU; the
names and the order are those of openai/whisper, model.py) with the standard operators of opset 17. The weights stay the
numbers of 16 bits that the package holds and are computed with in 32, so that nothing is rounded.

encoder: mel [1, mels, 2 * frames] to the keys [1, heads, 64, frames] and values [1, heads, frames, 64] that each layer
of the decoder looks at, cross_key.N and cross_value.N. decoder: the next tokens [beams, tokens] at the positions
[tokens], the earlier keys and values past_key.N and past_value.N [before, heads, past, 64] of which row `from` [beams]
goes on as each beam, and a mask [tokens, past + tokens] that is added to attention, to logits [beams, words] of the last
token, and key.N and value.N, the past of what follows.
"""

import argparse
import io
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# CTranslate2's numbers of its types (include/ctranslate2/types.h).
TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
HEAD = 64


def number(source: BinaryIO, form: str) -> int:
    return struct.unpack(form, source.read(struct.calcsize(form)))[0]


def word(source: BinaryIO) -> str:
    return source.read(number(source, "<H")).rstrip(b"\0").decode()


def read_weights(content: bytes) -> dict[str, np.ndarray]:
    """Every variable of the file by its name, and by the names that stand for it."""
    source = io.BytesIO(content)
    number(source, "<I"), word(source), number(source, "<I")  # version, name and revision of the specification
    weights = {}
    for _ in range(number(source, "<I")):
        name = word(source)
        shape = [number(source, "<I") for _ in range(number(source, "<B"))]
        kind, size = number(source, "<B"), number(source, "<I")
        weights[name] = np.frombuffer(source.read(size), TYPES[kind]).reshape(shape)
    for _ in range(number(source, "<I")):
        alias = word(source)
        weights[alias] = weights[word(source)]
    if quantised := [name for name, value in weights.items() if value.dtype in (np.int8, np.int16) and value.ndim > 1]:
        raise SystemExit(f"{quantised[0]} is quantised; weights in f16 or f32 are needed")
    return weights


class Graph:
    """Nodes and weights of the graph under construction; every node gets a numbered output."""

    def __init__(self, weights: dict[str, np.ndarray], side: str) -> None:
        self.given, self.side = weights, side
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, onnx.TensorProto] = {}
        self.state = len(weights[f"{side}/layer_norm/gamma"])
        self.layers = 0
        while f"{side}/layer_{self.layers}/ffn/linear_0/weight" in weights:
            self.layers += 1

    def put(self, name: str, value: np.ndarray) -> str:
        self.weights[name] = numpy_helper.from_array(np.array(value, order="C"), name)
        return name

    def whole(self, *values: int) -> str:
        return self.put("whole_" + "_".join(map(str, values)), np.array(values, np.int64))

    def node(self, operator: str, *inputs: str, to: str | None = None, **attributes: object) -> str:
        output = to or f"t{len(self.nodes) + 1}"
        self.nodes.append(helper.make_node(operator, inputs, [output], name=f"{operator}_{len(self.nodes) + 1}", **attributes))
        return output

    def number(self, name: str, value: np.ndarray) -> str:
        """A weight to compute with; the runtime widens it once, when it loads the graph."""
        wide = f"{name}:f32"
        if name not in self.weights:
            self.put(name, value)
            self.nodes.append(helper.make_node("Cast", [name], [wide], name=f"Cast_{wide}", to=TensorProto.FLOAT))
        return wide

    def weight(self, name: str) -> str:
        return self.number(name, self.given[name])

    def norm(self, x: str, name: str) -> str:
        return self.node("LayerNormalization", x, self.weight(f"{name}/gamma"), self.weight(f"{name}/beta"), epsilon=1e-5)

    def linear(self, x: str, name: str, part: int = 0, parts: int = 1) -> str:
        """A layer, or one of several that CTranslate2 keeps stacked."""
        weight = np.split(self.given[f"{name}/weight"], parts)[part]
        bias = np.split(self.given[f"{name}/bias"], parts)[part]
        x = self.node("MatMul", x, self.number(f"{name}/weight.{part}", weight.T))
        # Whisper's keys have no bias, which CTranslate2 keeps as zeros.
        return self.node("Add", x, self.number(f"{name}/bias.{part}", bias)) if bias.any() else x

    def gelu(self, x: str) -> str:
        root, one, half = (self.put(name, np.float32(value)) for name, value in [("root", 2**0.5), ("one", 1), ("half", 0.5)])
        erf = self.node("Add", self.node("Erf", self.node("Div", x, root)), one)
        return self.node("Mul", self.node("Mul", x, erf), half)

    def mlp(self, x: str, name: str) -> str:
        inner = self.gelu(self.linear(self.norm(x, f"{name}/layer_norm"), f"{name}/linear_0"))
        return self.node("Add", x, self.linear(inner, f"{name}/linear_1"))

    def split(self, x: str, keys: bool = False, to: str | None = None) -> str:
        """[rows, places, state] to [rows, heads, places, 64]; keys with the last two sides turned."""
        x = self.node("Reshape", x, self.whole(0, 0, self.state // HEAD, HEAD))
        return self.node("Transpose", x, perm=[0, 2, 3, 1] if keys else [0, 2, 1, 3], to=to)

    def attend(self, query: str, turned_keys: str, values: str, mask: str | None = None) -> str:
        scores = self.node("MatMul", query, turned_keys)
        scores = self.node("Mul", scores, self.put("scale", np.float32(HEAD**-0.5)))
        scores = self.node("Add", scores, mask) if mask else scores
        x = self.node("MatMul", self.node("Softmax", scores, axis=-1), values)
        x = self.node("Transpose", x, perm=[0, 2, 1, 3])
        return self.node("Reshape", x, self.whole(0, 0, self.state))

    def model(self, inputs: dict[str, tuple[int, list]], outputs: dict[str, list]) -> bytes:
        given = [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()]
        made = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
        graph = helper.make_graph(self.nodes, self.side, given, made, list(self.weights.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.checker.check_model(model)
        return model.SerializeToString(deterministic=True)


def encoder(weights: dict[str, np.ndarray]) -> bytes:
    graph = Graph(weights, "encoder")
    places = weights["encoder/position_encodings/encodings"]
    x = "mel"
    for name, stride in [("conv1", 1), ("conv2", 2)]:
        kernel, bias = graph.weight(f"encoder/{name}/weight"), graph.weight(f"encoder/{name}/bias")
        x = graph.gelu(graph.node("Conv", x, kernel, bias, pads=[1, 1], strides=[stride]))
    x = graph.node("Transpose", x, perm=[0, 2, 1])
    x = graph.node("Add", x, graph.weight("encoder/position_encodings/encodings"))
    for index in range(graph.layers):
        name = f"encoder/layer_{index}"
        inner = graph.norm(x, f"{name}/self_attention/layer_norm")
        query, key, value = (graph.linear(inner, f"{name}/self_attention/linear_0", part, 3) for part in range(3))
        inner = graph.attend(graph.split(query), graph.split(key, keys=True), graph.split(value))
        x = graph.node("Add", x, graph.linear(inner, f"{name}/self_attention/linear_1"))
        x = graph.mlp(x, f"{name}/ffn")
    x = graph.norm(x, "encoder/layer_norm")
    frames, outputs = len(places), {}
    for index in range(Graph(weights, "decoder").layers):
        key, value = (graph.linear(x, f"decoder/layer_{index}/attention/linear_1", part, 2) for part in range(2))
        graph.split(key, keys=True, to=f"cross_key.{index}")
        graph.split(value, to=f"cross_value.{index}")
        heads = graph.state // HEAD
        outputs |= {f"cross_key.{index}": [1, heads, HEAD, frames], f"cross_value.{index}": [1, heads, frames, HEAD]}
    mels = weights["encoder/conv1/weight"].shape[1]
    return graph.model({"mel": (TensorProto.FLOAT, [1, mels, 2 * frames])}, outputs)


def decoder(weights: dict[str, np.ndarray]) -> bytes:
    graph = Graph(weights, "decoder")
    heads, frames = graph.state // HEAD, len(weights["encoder/position_encodings/encodings"])
    words = len(weights["decoder/embeddings/weight"])
    whole, real = TensorProto.INT64, TensorProto.FLOAT
    inputs = {"tokens": (whole, ["beams", "tokens"]), "positions": (whole, ["tokens"]), "from": (whole, ["beams"])}
    inputs["mask"] = (real, ["tokens", "all"])
    outputs = {"logits": ["beams", words]}
    embedding = graph.weight("decoder/embeddings/weight")
    x = graph.node("Gather", embedding, "tokens", axis=0)
    at = graph.node("Gather", graph.weight("decoder/position_encodings/encodings"), "positions", axis=0)
    x = graph.node("Add", x, at)
    for index in range(graph.layers):
        name = f"decoder/layer_{index}"
        inner = graph.norm(x, f"{name}/self_attention/layer_norm")
        query, key, value = (
            graph.split(graph.linear(inner, f"{name}/self_attention/linear_0", part, 3)) for part in range(3)
        )
        for kind, new in [("key", key), ("value", value)]:
            inputs[f"past_{kind}.{index}"] = (real, ["before", heads, "past", HEAD])
            outputs[f"{kind}.{index}"] = ["beams", heads, "all", HEAD]
            past = graph.node("Gather", f"past_{kind}.{index}", "from", axis=0)
            graph.node("Concat", past, new, axis=2, to=f"{kind}.{index}")
        turned = graph.node("Transpose", f"key.{index}", perm=[0, 1, 3, 2])
        inner = graph.attend(query, turned, f"value.{index}", "mask")
        x = graph.node("Add", x, graph.linear(inner, f"{name}/self_attention/linear_1"))
        inputs[f"cross_key.{index}"] = (real, [1, heads, HEAD, frames])
        inputs[f"cross_value.{index}"] = (real, [1, heads, frames, HEAD])
        inner = graph.norm(x, f"{name}/attention/layer_norm")
        query = graph.split(graph.linear(inner, f"{name}/attention/linear_0"))
        inner = graph.attend(query, f"cross_key.{index}", f"cross_value.{index}")
        x = graph.node("Add", x, graph.linear(inner, f"{name}/attention/linear_2"))
        x = graph.mlp(x, f"{name}/ffn")
    last = graph.node("Gather", graph.norm(x, "decoder/layer_norm"), graph.put("last", np.array(-1, np.int64)), axis=1)
    graph.node("Gemm", last, embedding, transB=1, to="logits")
    return graph.model(inputs, outputs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    args = parser.parse_args()
    parts = sorted(args.folder.glob("model.bin*"))
    weights = read_weights(b"".join(part.read_bytes() for part in parts))
    args.output.write_bytes(encoder(weights))
    args.output.with_name("decoder.onnx").write_bytes(decoder(weights))


if __name__ == "__main__":
    main()
