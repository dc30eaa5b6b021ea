#!/usr/bin/env python3
"""Page retrieval's kernels beside numpy, faiss and torch on the same arrays, one thread each, in one run.

usage: bench-visual.py [--speed PROGRAM] [--docs FILE]
       PROGRAM is the example `speed` of techrag-visual, built here with cargo unless given. FILE (docs/VISUAL.md) gets
       the table between its marks; without it the table is printed. Packages that are not there are said to be absent.
"""
import argparse
import os
import pathlib
import random
import subprocess
import tempfile
import time

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES, WIDE, PAPER = 40_000, 10_240, 4_096
QUERY, CANDIDATES, ROWS, DIM = 32, 100, 1031, 128
RUNS = 7
BEGIN, END = "<!-- bench-visual -->", "<!-- end of bench-visual -->"


def least(run):
    best = float("inf")
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1000


def normalised(array):
    return array / np.linalg.norm(array, axis=-1, keepdims=True)


def arrays(folder):
    """Writes the arrays for our program and gives those for the others."""
    rng = np.random.default_rng(0)
    query = normalised(rng.standard_normal((QUERY, DIM), dtype=np.float32))
    pages = normalised(rng.standard_normal((CANDIDATES, ROWS, DIM), dtype=np.float32))
    encodings = np.empty((PAGES, PAPER), np.float32)
    for start in range(0, PAGES, 4000):
        encodings[start : start + 4000] = rng.standard_normal((4000, PAPER), dtype=np.float32)
    narrow, wide = (rng.standard_normal(n, dtype=np.float32) for n in (PAPER, WIDE))
    query.tofile(folder / "query.f32")
    np.array([ROWS], np.uint32).tofile(folder / "rows.u32")
    (np.rint(pages * 127).astype(np.int16) + 128).astype(np.uint8).tofile(folder / "pages.u8")
    pages.astype(np.float16).tofile(folder / "pages.f16")
    narrow.tofile(folder / "query-paper.f32")
    wide.tofile(folder / "query-wide.f32")
    rng.integers(0, 2**63, (PAGES, WIDE // 64), np.uint64).tofile(folder / "signs.u64")
    encodings.astype(np.float16).tofile(folder / "encodings.f16")
    scaled = np.clip(np.rint(encodings * 127 / 5), -127, 127).astype(np.int16)
    (scaled + 128).astype(np.uint8).tofile(folder / "encodings.u8")
    return query, pages, encodings, narrow


def ours(speed, folder):
    lines = []
    for what in ("scan", "maxsim"):
        lines += subprocess.run([speed, what, folder], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: float(value) for name, value in (line.split() for line in lines)}


def cold(speed, folder):
    """100 random pages of 2,000, none of them in the system's cache; ours and a plain read in the same order."""
    size = ROWS * DIM // 4096 * 4096 + 4096
    path = folder / "cold"
    block = np.random.default_rng(1).bytes(size)
    with open(path, "wb") as file:
        for _ in range(2000):
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    mine, plain = [], []
    for seed in range(5):
        offsets = [at * size for at in random.Random(seed).sample(range(2000), CANDIDATES)]
        drop(path)
        said = subprocess.run([speed, "cold", path, str(size), *map(str, offsets)], check=True, capture_output=True, text=True)
        mine.append(float(said.stdout.split()[1]))
        drop(path)
        mapped = np.memmap(path, np.uint8, "r")
        start = time.perf_counter()
        for offset in offsets:
            int(mapped[offset : offset + size : 4096].sum())
        plain.append((time.perf_counter() - start) * 1000)
        del mapped
    return min(mine), sorted(mine)[2], min(plain)


def drop(path):
    file = os.open(path, os.O_RDONLY)
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)


def others(query, pages, encodings, narrow):
    flat = pages.reshape(-1, DIM)

    def maxsim():
        return (query @ flat.T).reshape(QUERY, CANDIDATES, ROWS).max(2).sum(0)

    maxsim_sum = float(maxsim().sum())
    result = {"numpy f32": (least(lambda: encodings @ narrow), least(maxsim))}
    try:
        import faiss

        faiss.omp_set_num_threads(1)
        for name, index in (
            ("faiss flat f32", faiss.IndexFlatIP(PAPER)),
            ("faiss SQ8", faiss.IndexScalarQuantizer(PAPER, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)),
        ):
            index.train(encodings[:4000])
            index.add(encodings)
            result[name] = (least(lambda index=index: index.search(narrow[None], 100)), None)
            del index
    except ImportError:
        result["faiss (absent)"] = (None, None)
    try:
        import torch

        torch.set_num_threads(1)
        e, n, q, p = (torch.from_numpy(a) for a in (encodings, narrow, query, flat))
        with torch.inference_mode():
            score = lambda q, p: (q @ p.T).view(QUERY, CANDIDATES, ROWS).amax(2).sum(0)
            result["torch f32"] = (least(lambda: e @ n), least(lambda: score(q, p)))
            q16, p16 = q.bfloat16(), p.bfloat16()
            result["torch bf16"] = (None, least(lambda: score(q16, p16)))
    except ImportError:
        result["torch (absent)"] = (None, None)
    return result, maxsim_sum


def table(times, rest, maxsim_sum, disk):
    levels = [name.removeprefix("int8-") for name in times if name.startswith("int8-")]
    show = lambda value: "–" if value is None else f"{value:.1f}"
    load = os.getloadavg()[0]
    agree = abs(times["sum-f16"] - maxsim_sum) / abs(maxsim_sum)
    lines = [
        f"{PAGES:,} encodings scanned; MaxSim of {QUERY} × {DIM} against {CANDIDATES} pages of {ROWS} vectors. Milliseconds,"
        f" one thread, the least of several runs; {os.cpu_count()} processors, load {load:.0f} while it ran.",
        "",
        "| | scan | MaxSim |",
        "|---|---|---|",
    ]
    for level in reversed(levels):
        lines.append(f"| ours, signs of {WIDE:,} and int8 vectors, {level} | {show(times[f'signs-{level}'])} | {show(times[f'int8-{level}'])} |")
        lines.append(f"| ours, {PAPER:,} in int8, {level} | {show(times[f'bytes-{level}'])} | |")
        lines.append(f"| ours, {PAPER:,} in f16 and f16 vectors, {level} | {show(times[f'halves-{level}'])} | {show(times[f'f16-{level}'])} |")
    lines += [f"| {name}, {PAPER:,} | {show(scan)} | {show(maxsim)} |" for name, (scan, maxsim) in rest.items()]
    lines += [
        "",
        f"The sums of all MaxSim scores by our f16 kernel and by numpy in f32 differ by {agree:.1e} of their size.",
        "",
        f"{CANDIDATES} pages of {ROWS * DIM // 1024} KiB read from a file of 2,000 that is not in the system's cache: ours"
        f" (memory map, all asked for ahead) {disk[0]:.0f} ms at best, {disk[1]:.0f} ms in the median of five; numpy's"
        f" memory map without asking {disk[2]:.0f} ms at best.",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--speed")
    parser.add_argument("--docs", type=pathlib.Path)
    arguments = parser.parse_args()
    speed = arguments.speed
    if speed is None:
        subprocess.run(["cargo", "build", "-q", "--release", "-p", "techrag-visual", "--example", "speed"], check=True, cwd=ROOT)
        speed = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/speed"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for_others = arrays(folder)
        times = ours(speed, folder)
        disk = cold(speed, folder)
        text = table(times, *others(*for_others), disk)
    if arguments.docs:
        page = arguments.docs.read_text()
        head, rest = page.split(BEGIN, 1)
        arguments.docs.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}")
    else:
        print(text)


if __name__ == "__main__":
    main()
