"""BERT in numpy: the reference that the ONNX graphs are compared with, written without ONNX or its runtime.

Devlin et al. 2019: post-norm transformer, exact GELU. One sequence at a time, so that no padding or mask exists.
"""

import math

import numpy as np

ERF = np.vectorize(math.erf, otypes=[np.float64])


class Bert:
    """Weights under their Hugging Face names; computes in float64."""

    def __init__(self, config: dict, weights: dict[str, np.ndarray]) -> None:
        self.config = config
        self.weights = {name.removeprefix("bert."): value.astype(np.float64) for name, value in weights.items()}

    def linear(self, x: np.ndarray, name: str) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self.config["layer_norm_eps"])
        return centred / deviation * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, x: np.ndarray, layer: str) -> np.ndarray:
        heads = self.config["num_attention_heads"]
        length, hidden = x.shape
        split = lambda y: y.reshape(length, heads, hidden // heads).transpose(1, 0, 2)
        query, key, value = (split(self.linear(x, f"{layer}.attention.self.{n}")) for n in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(hidden // heads)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        mixed = (weights @ value).transpose(1, 0, 2).reshape(length, hidden)
        return self.norm(self.linear(mixed, f"{layer}.attention.output.dense") + x, f"{layer}.attention.output.LayerNorm")

    def tokens(self, ids: list[int], types: list[int]) -> np.ndarray:
        """Token vectors, [length, hidden]."""
        table = lambda kind: self.weights[f"embeddings.{kind}_embeddings.weight"]
        x = table("word")[ids] + table("token_type")[types] + table("position")[: len(ids)]
        x = self.norm(x, "embeddings.LayerNorm")
        for index in range(self.config["num_hidden_layers"]):
            layer = f"encoder.layer.{index}"
            x = self.attention(x, layer)
            y = self.linear(x, f"{layer}.intermediate.dense")
            gelu = y * 0.5 * (1 + ERF(y / math.sqrt(2)))
            x = self.norm(self.linear(gelu, f"{layer}.output.dense") + x, f"{layer}.output.LayerNorm")
        return x

    def logits(self, ids: list[int], types: list[int]) -> np.ndarray:
        """Logits of a classifier, [labels]."""
        pooled = np.tanh(self.linear(self.tokens(ids, types)[0], "pooler.dense"))
        return self.linear(pooled, "classifier")
