#!/usr/bin/env python3
"""Build an fp32 ONNX graph of a BERT encoder, classifier or masked language model from its safetensors weights.

Needs numpy, onnx and safetensors only (no torch). `fetch-models.py` runs it in a throw-away environment for sources
that ship weights without a graph. The graph is written out layer by layer after Devlin et al. 2019 (post-norm
transformer, exact GELU) with the standard operators of opset 17, so that every ONNX runtime loads it.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
# Added to the logits of padding: exp(-10000) is 0 in fp32, and a finite number keeps a fully masked row from being NaN.
MASKED = -10000.0


class Graph:
    """Nodes and weights of the graph under construction; every node gets a numbered output."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: np.ndarray) -> str:
        # Not np.ascontiguousarray: it makes a vector of a scalar, which Range refuses.
        self.weights.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def node(self, operator: str, inputs: list[str], **attributes: object) -> str:
        output = f"t{len(self.nodes) + 1}"
        name = f"{operator}_{len(self.nodes) + 1}"
        self.nodes.append(helper.make_node(operator, inputs, [output], name=name, **attributes))
        return output


class Bert:
    """The parts of a BERT encoder, as functions from tensor name to tensor name."""

    def __init__(self, config: dict, weights: dict[str, np.ndarray]) -> None:
        self.config = config
        self.tensors = {plain(name): value for name, value in weights.items()}
        self.graph = Graph()
        heads = config["num_attention_heads"]
        hidden = config["hidden_size"]
        constant = self.graph.weight
        constant("split", np.array([0, 0, heads, hidden // heads], np.int64))
        constant("merge", np.array([0, 0, hidden], np.int64))
        constant("scale", np.float32(1 / np.sqrt(hidden // heads)))
        constant("half", np.float32(0.5))
        constant("one", np.float32(1.0))
        constant("sqrt2", np.float32(np.sqrt(2)))
        constant("masked", np.float32(MASKED))
        constant("axis0", np.array([0], np.int64))
        constant("axes12", np.array([1, 2], np.int64))
        constant("int0", np.int64(0))
        constant("int1", np.int64(1))

    def norm(self, x: str, name: str) -> str:
        scale = self.graph.weight(f"{name}.weight", self.tensors[f"{name}.weight"])
        shift = self.graph.weight(f"{name}.bias", self.tensors[f"{name}.bias"])
        epsilon = self.config["layer_norm_eps"]
        return self.graph.node("LayerNormalization", [x, scale, shift], axis=-1, epsilon=epsilon)

    def linear(self, x: str, name: str) -> str:
        matrix = self.graph.weight(f"{name}.weight", self.tensors[f"{name}.weight"].T)
        shift = self.graph.weight(f"{name}.bias", self.tensors[f"{name}.bias"])
        return self.graph.node("Add", [self.graph.node("MatMul", [x, matrix]), shift])

    def table(self, kind: str) -> str:
        name = f"embeddings.{kind}_embeddings.weight"
        return self.graph.weight(name, self.tensors[name])

    def embeddings(self) -> str:
        node = self.graph.node
        words = node("Gather", [self.table("word"), "input_ids"])
        types = node("Gather", [self.table("token_type"), "token_type_ids"])
        length = node("Gather", [node("Shape", ["input_ids"]), "int1"])
        positions = node("Gather", [self.table("position"), node("Range", ["int0", length, "int1"])])
        summed = node("Add", [node("Add", [words, types]), node("Unsqueeze", [positions, "axis0"])])
        return self.norm(summed, "embeddings.LayerNorm")

    def mask(self) -> str:
        node = self.graph.node
        present = node("Cast", ["attention_mask"], to=TensorProto.FLOAT)
        absent = node("Sub", ["one", node("Unsqueeze", [present, "axes12"])])
        return node("Mul", [absent, "masked"])

    def attention(self, x: str, mask: str, layer: str) -> str:
        node = self.graph.node

        def heads(part: str, order: list[int]) -> str:
            projected = self.linear(x, f"{layer}.attention.self.{part}")
            return node("Transpose", [node("Reshape", [projected, "split"])], perm=order)

        query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
        scores = node("Mul", [node("MatMul", [query, key]), "scale"])
        weights = node("Softmax", [node("Add", [scores, mask])], axis=-1)
        mixed = node("Transpose", [node("MatMul", [weights, value])], perm=[0, 2, 1, 3])
        merged = self.linear(node("Reshape", [mixed, "merge"]), f"{layer}.attention.output.dense")
        return self.norm(node("Add", [merged, x]), f"{layer}.attention.output.LayerNorm")

    def gelu(self, y: str) -> str:
        node = self.graph.node
        bell = node("Add", [node("Erf", [node("Div", [y, "sqrt2"])]), "one"])
        return node("Mul", [node("Mul", [y, "half"]), bell])

    def feed_forward(self, x: str, layer: str) -> str:
        y = self.gelu(self.linear(x, f"{layer}.intermediate.dense"))
        return self.norm(self.graph.node("Add", [self.linear(y, f"{layer}.output.dense"), x]), f"{layer}.output.LayerNorm")

    def encode(self) -> str:
        """Name of the tensor of token vectors, [batch, sequence, hidden]."""
        x = self.embeddings()
        return self.layers(x, self.mask())

    def layers(self, x: str, mask: str) -> str:
        for index in range(self.config["num_hidden_layers"]):
            layer = f"encoder.layer.{index}"
            x = self.feed_forward(self.attention(x, mask, layer), layer)
        return x

    def classify(self) -> str:
        """Name of the tensor of logits, [batch, labels]: the first token's vector through pooler and classifier."""
        first = self.graph.node("Gather", [self.encode(), "int0"], axis=1)
        pooled = self.graph.node("Tanh", [self.linear(first, "pooler.dense")])
        return self.linear(pooled, "classifier")

    def predict(self) -> str:
        """Name of the tensor of the greatest logit of each word of the vocabulary, [batch, vocabulary]: what a learned
        sparse vector is made of (Formal et al. 2021, SPLADE v2). The head's matrix is that of the word embeddings.
        Taken here, it saves a copy of a logit for each token and word."""
        node = self.graph.node
        head, axis1 = "cls.predictions", self.graph.weight("axis1", np.array([1], np.int64))
        x = self.embeddings()
        mask = self.mask()
        x = self.gelu(self.linear(self.layers(x, mask), f"{head}.transform.dense"))
        x = self.norm(x, f"{head}.transform.LayerNorm")
        words = node("Transpose", ["embeddings.word_embeddings.weight"], perm=[1, 0])
        bias = self.graph.weight(f"{head}.bias", self.tensors[f"{head}.bias"])
        logits = node("Add", [node("MatMul", [x, words]), bias])
        # The mask of attention is [batch, 1, 1, sequence]; that of logits [batch, sequence, 1].
        padding = node("Transpose", [node("Squeeze", [mask, axis1])], perm=[0, 2, 1])
        return node("ReduceMax", [node("Add", [logits, padding])], axes=[1], keepdims=0)


def plain(name: str) -> str:
    """The name of a tensor in today's spelling, without the model's prefix."""
    old = {"gamma": "weight", "beta": "bias"}
    head, _, last = name.removeprefix("bert.").rpartition(".")
    return f"{head}.{old.get(last, last)}" if head else last


def finish(graph: Graph, output: str, shape: list) -> onnx.ModelProto:
    """The checked model whose last node is its output, named `output`."""
    graph.nodes[-1].output[0] = output
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"]) for name in INPUTS]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    made = helper.make_graph(graph.nodes, "bert", inputs, outputs, graph.weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder with model.safetensors and config.json")
    parser.add_argument("output", type=Path, help="ONNX file to write")
    parser.add_argument("--head", choices=["tokens", "classifier", "words"], default="tokens", help="what the graph puts out")
    args = parser.parse_args()
    config = json.loads((args.folder / "config.json").read_text(encoding="utf-8"))
    bert = Bert(config, load_file(args.folder / "model.safetensors"))
    onnx.save(model_of(bert, args.head), args.output)


def model_of(bert: Bert, head: str) -> onnx.ModelProto:
    if head == "classifier":
        bert.classify()
        return finish(bert.graph, "logits", ["batch", len(bert.tensors["classifier.bias"])])
    if head == "words":
        bert.predict()
        return finish(bert.graph, "max_logits", ["batch", len(bert.tensors["cls.predictions.bias"])])
    bert.encode()
    return finish(bert.graph, "last_hidden_state", ["batch", "sequence", bert.config["hidden_size"]])


if __name__ == "__main__":
    main()
