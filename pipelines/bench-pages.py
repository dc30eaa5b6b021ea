#!/usr/bin/env python3
"""Memory and time of page search over a library of 40,000 pages.

usage: bench-pages.py [--pages N] [--fill PROGRAM] [--docs FILE] WORK
       WORK gets the library: about 6 GB for 40,000 pages, removed at the end unless --keep. Tools are taken from
       TECHRAG_BIN, else target/release; PROGRAM is the example `fill` of techrag-visual, built here with cargo unless
       given. TECHRAG_MODELS is the folder of models. FILE (docs/VISUAL.md) gets the result between its marks.
records: made-up documents and chunks → index add; made-up vectors → pages; questions → visual search, one at a time

Documents of 20 pages, two chunks a page of words that follow the fixture papers' frequencies; vectors and tokens are
random (seeded), since neither memory nor time depends on their meaning. Memory is what Linux says of the search's process after each answer:
resident pages of its own and of files it maps, and the highest sum (VmHWM), the model included.
"""
import argparse
import array
import base64
import collections
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = "all-MiniLM-L6-v2"
A_DOCUMENT, A_PAGE, WORDS, DIM = 20, 2, 150, 384
BEGIN, END = "<!-- bench-pages -->", "<!-- end of bench-pages -->"


def run(command, **options):
    return subprocess.run(list(map(str, command)), check=True, **options)


def tool(name):
    for place in (os.environ.get("TECHRAG_BIN"), ROOT / "target/release"):
        if place and (pathlib.Path(place) / name).is_file():
            return pathlib.Path(place) / name
    sys.exit(f"bench-pages: {name} is not built: run make build, or set TECHRAG_BIN")


def fixtures():
    """Words of the fixture papers with their counts, a chunk's vectors as they are said, and questions."""
    chunks = run([tool("techrag-chunk"), ROOT / "fixtures/papers"], capture_output=True, text=True).stdout
    first = run([tool("techrag-embed")], input="".join(chunks.splitlines(True)[:2]), capture_output=True, text=True).stdout
    head = next(json.loads(line)["vectors"] for line in first.splitlines() if '"vectors"' in line)
    counts = collections.Counter()
    for record in map(json.loads, chunks.splitlines()):
        if record["type"] == "chunk":
            counts.update(re.findall(r"[A-Za-z]{2,}", record["text"]))
    questions = [json.loads(line)["text"] for line in (ROOT / "fixtures/questions/questions.jsonl").open()]
    return counts, {key: head[key] for key in ("model", "revision", "dim")}, questions[:30]


def vector(chance):
    values = [chance.random() - 0.5 for _ in range(DIM)]
    length = math.sqrt(sum(value * value for value in values))
    return base64.b64encode(array.array("f", [value / length for value in values]).tobytes()).decode()


def records(pages, counts, head):
    """Documents and their chunks, as lines."""
    chance = random.Random(0)
    words, weights = list(counts), list(counts.values())
    for number in range(-(-pages // A_DOCUMENT)):
        doc_id = f"{number + 1:016x}"
        many = min(A_DOCUMENT, pages - number * A_DOCUMENT)
        yield {"type": "document", "v": 1, "doc_id": doc_id, "key": f"made-up-{number}.pdf", "media_type": "application/pdf",
               "bytes": 1, "by": "bench-pages", "title": f"Made up {number}", "year": 2000 + number % 25, "pages": many, "chunks": many * A_PAGE}
        for at in range(many * A_PAGE):
            text = " ".join(chance.choices(words, weights, k=WORDS))
            window = {"start": 0, "end": len(text), "vector": vector(chance)}
            page = at // A_PAGE + 1
            yield {"type": "chunk", "v": 1, "uid": f"{doc_id}:{at}", "doc_id": doc_id, "section": "", "role": "other",
                   "pages": [page, page], "text": text, "sha1": hashlib.sha1(text.encode()).hexdigest(), "modality": "text",
                   "vectors": {**head, "windows": [window]}}


def resident(pid):
    """VmHWM, resident pages of its own, of files, in MB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return tuple(int(re.search(rf"{name}:\s+(\d+) kB", status)[1]) / 1000 for name in ("VmHWM", "RssAnon", "RssFile"))


def search(library, questions, order):
    """Asks one question after the other of one process: the least and middle time, and its memory at the end."""
    command = [tool("techrag-visual"), "search", "--library", library, "-j", "1", "--order", order]
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        times, highest = [], None
        for question in questions:
            start = time.perf_counter()
            process.stdin.write(question + "\n")
            process.stdin.flush()
            said = json.loads(process.stdout.readline())
            times.append(time.perf_counter() - start)
            if len(said.get("visual") or []) != 5:
                sys.exit(f"bench-pages: {said.get('trace')}")
            highest = resident(process.pid)
        process.stdin.close()
    if process.wait() != 0:
        sys.exit("bench-pages: the search failed")
    return sorted(times[1:]), times[0], highest


def drop(library):
    """Takes the library out of the system's cache."""
    for path in library.rglob("*"):
        if path.is_file():
            file = os.open(path, os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


def highest(command):
    """The most resident memory of a command in MB, and its seconds."""
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"bench-pages: {command} failed: {said.decode()[:500]}")
    return usage.ru_maxrss / 1000 * 1.024, time.perf_counter() - start


def table(pages, library, questions):
    size = lambda folder: sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e9
    lines = [
        f"{pages:,} pages of made-up vectors in {-(-pages // A_DOCUMENT):,} documents with {pages * A_PAGE:,} chunks:"
        f" {size(library / 'pages'):.1f} GB of pages, {size(library):.1f} GB in all. One process, {len(questions)} questions one after the"
        f" other; load {os.getloadavg()[0]:.0f} on {os.cpu_count()} processors.", "",
        "| `techrag-visual search` | resident at most (VmHWM) | own memory | mapped files | first answer | middle of the others |",
        "|---|---|---|---|---|---|",
    ]
    for order in ("with-text", "maxsim"):
        drop(library)
        times, first, (most, own, mapped) = search(library, questions, order)
        lines.append(f"| `--order {order}` | {most:.0f} MB | {own:.0f} MB | {mapped:.0f} MB | {first * 1000:.0f} ms | {times[len(times) // 2] * 1000:.0f} ms |")
    lines += ["", "Other work on the same library, resident at most: "]
    others = [("verify --queries 0", ["verify", "--queries", "0"]), ("verify --queries 3", ["verify", "--queries", "3"])]
    said = []
    for name, arguments in others:
        most, seconds = highest([tool("techrag-visual"), *arguments, "--library", library])
        said.append(f"`{name}` {most:.0f} MB ({seconds:.0f} s)")
    lines[-1] += ", ".join(said) + "."
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=40_000)
    parser.add_argument("--fill", type=pathlib.Path)
    parser.add_argument("--docs", type=pathlib.Path)
    parser.add_argument("--keep", action="store_true", help="leave the library there; one that is there is used again")
    args = parser.parse_args()
    fill = args.fill
    if fill is None:
        run(["cargo", "build", "-q", "--release", "-p", "techrag-visual", "--example", "fill"], cwd=ROOT)
        fill = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/fill"
    library = args.work / "library"
    counts, head, questions = fixtures()
    if not (library / "filled").exists():
        args.work.mkdir(parents=True, exist_ok=True)
        with subprocess.Popen([tool("techrag-index"), "add", "--library", library], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as add:
            add.stdin.writelines(json.dumps(record) + "\n" for record in records(args.pages, counts, head))
            add.stdin.close()
        if add.returncode != 0:
            sys.exit("bench-pages: the library was not made")
        run([fill, os.environ["TECHRAG_MODELS"], library])
        (library / "filled").touch()
    text = table(args.pages, library, questions)
    if args.docs:
        page = args.docs.read_text(encoding="utf-8")
        head, rest = page.split(BEGIN, 1)
        args.docs.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")
    else:
        print(text)
    if not args.keep:
        shutil.rmtree(library)


if __name__ == "__main__":
    main()
