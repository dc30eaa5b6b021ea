#!/usr/bin/env python3
"""Ten thousand small files of nine kinds in one run: memory, progress, and what an interruption costs.

usage: many.py [--files N] [--model NAME] [--write FILE]

Makes N files in a temporary folder, each a copy with changed bytes, and
  1. reads them by one techrag-chunk, whose memory (with the readers it starts) is looked at all along and whose progress
     must count every file to the last;
  2. ingests them by pipelines/ingest.sh, interrupts it when a part of them is in the library, looks at what is there,
     and starts it again: what the second run reads is what the first left.
Prints the figures as Markdown, or puts them into FILE under the heading "Ten thousand files". Exits 1 where memory grew,
the progress was wrong, a file is missing, or more than a slice of files was read twice.
"""

import argparse
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("TECHRAG_BIN") or ROOT / "target/release")
HEADING = "## Ten thousand files"
# Times the highest memory of the first quarter of a run that the last one may need.
GROWTH = 1.15


def archives():
    """The office fixtures, to be copied: name, parts, the part that takes the number, the text that it stands behind."""
    for name, part, before in (
        ("report.docx", "word/document.xml", "Three tyres were tested"),
        ("deck.pptx", "ppt/slides/slide1.xml", "Limit the torque"),
        ("sheet.xlsx", "xl/worksheets/sheet2.xml", "only a word"),
    ):
        with zipfile.ZipFile(ROOT / "fixtures/office" / name) as archive:
            parts = {info: archive.read(info) for info in archive.namelist()}
        if before.encode() not in parts[part]:
            part = next(other for other, content in parts.items() if before.encode() in content)
        yield name.rpartition(".")[2], parts, part, before


def copy(parts, changed, before, number):
    """The archive with a number of its own behind a text of it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, content in parts.items():
            if name == changed:
                content = content.replace(before.encode(), f"{before} in run {number}".encode(), 1)
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def pdf(number):
    """A PDF of one page and one line."""
    line = f"BT /F1 11 Tf 72 700 Td (The tyre of run {number} slipped at {number % 17} degrees on wet basalt.) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(line)} >>\nstream\n{line}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    text, places = "%PDF-1.4\n", []
    for at, content in enumerate(objects, 1):
        places.append(len(text))
        text += f"{at} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    return f"{text}xref\n0 6\n0000000000 65535 f \n{table}trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"


def make(folder, count):
    """The files, in folders of a thousand."""
    office = list(archives())
    texts = {
        "txt": "The tyre of run {n} slipped on wet basalt.\n\nIt was worn to {m} mm.\n",
        "md": "# Run {n}\n\nThe tyre **slipped** on wet basalt at {m} degrees.\n\n- worn\n- cold\n",
        "html": "<!doctype html><title>Run {n}</title><h1>Run {n}</h1><p>The tyre slipped at {m} degrees.</p>",
        "csv": "run;angle;force\n{n};{m};0,98\n{n};{m};0,61\n",
        "py": '"""Run {n}."""\n\n\ndef slip(angle):\n    """Slip of run {n}."""\n    return angle * {m}\n',
    }
    kinds = [*texts, *(ending for ending, *_ in office), "pdf"]
    for number in range(count):
        kind = kinds[number % len(kinds)]
        if kind in texts:
            content = texts[kind].replace("{n}", str(number)).replace("{m}", str(number % 89)).encode()
        elif kind == "pdf":
            content = pdf(number).encode()
        else:
            _, parts, changed, before = next(row for row in office if row[0] == kind)
            content = copy(parts, changed, before, number)
        path = folder / f"{number // 1000:03}" / f"{number:06}.{kind}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return len(kinds)


def resident(root):
    """KiB that a process and all below it hold now."""
    parents, sizes = {}, {}
    for entry in os.scandir("/proc"):
        try:
            if entry.name.isdigit():
                fields = pathlib.Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()
                parents[int(entry.name)], sizes[int(entry.name)] = int(fields[1]), int(fields[21]) * 4
        except (OSError, IndexError):
            continue  # it ended while it was looked at

    def below(pid):
        while pid not in (root, 0, None):
            pid = parents.get(pid)
        return pid == root

    return sum(size for pid, size in sizes.items() if below(pid))


def read_all(folder, count):
    """Figures of one techrag-chunk over the folder, and what was wrong."""
    start, samples, wrong = time.monotonic(), [], []
    command = [BIN / "techrag-chunk", folder, "--progress", "json"]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err)
        while process.poll() is None:
            samples.append((time.monotonic() - start, resident(process.pid)))
            time.sleep(0.2)
        seconds = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        kinds = [json.loads(line)["type"] for line in out]
        said = [json.loads(line)["progress"] for line in err if '"progress"' in line]
    done = [line["done"] for line in said]
    if process.returncode or kinds.count("document") != count:
        wrong.append(f"exit {process.returncode}, {kinds.count('document')} documents of {count}")
    if done != sorted(done) or done[-1:] != [count] or any(line["total"] != count for line in said):
        wrong.append(f"progress ended at {said[-1:]}")
    quarter = [max(kib for _, kib in part) >> 10 for part in quarters(samples)]
    if quarter[-1] > GROWTH * quarter[0]:
        wrong.append(f"memory grew from {quarter[0]} to {quarter[-1]} MiB")
    return {
        "files": count,
        "chunks": kinds.count("chunk"),
        "seconds": round(seconds, 1),
        "files a second": round(count / seconds, 1),
        "highest memory in each quarter of the run, MiB (readers included)": quarter,
        "lines of progress": len(said),
    }, wrong


def quarters(samples):
    size = -(-len(samples) // 4)
    return [samples[at : at + size] for at in range(0, len(samples), size)]


def status(library):
    """Documents of a library, none where there is none yet."""
    run = subprocess.run([BIN / "techrag-index", "status", "--json", "--library", library], capture_output=True, text=True)
    try:
        return json.loads(run.stdout)["documents"]
    except (ValueError, KeyError):
        return 0


def planned(folder, library):
    command = [BIN / "techrag-index", "plan", folder, "--library", library]
    return len(subprocess.run(command, capture_output=True, text=True).stdout.splitlines())


def interrupted(folder, count, work, model, part):
    """Figures of an ingest that is interrupted once and started again, and what was wrong."""
    library, wrong = work / "library", []
    # The settings are found upward from the working directory.
    (work / "techrag.toml").write_text(f'[embed]\nmodel = "{model}"\n')
    command = [ROOT / "pipelines/ingest.sh", folder, library]
    environment = {**os.environ, "TECHRAG_BIN": str(BIN)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "cwd": work}
    start = time.monotonic()
    first = subprocess.Popen(command, start_new_session=True, **quiet)
    while first.poll() is None and status(library) < part * count:
        time.sleep(0.5)
    os.killpg(first.pid, signal.SIGINT)
    first.wait()
    stopped, kept = time.monotonic() - start, status(library)
    if first.returncode != 130:
        wrong.append(f"the first run ended with {first.returncode} before it was interrupted")
    left = planned(folder, library)
    if kept + left != count:
        wrong.append(f"{kept} files in the library, {left} left: not {count}")
    start = time.monotonic()
    second = subprocess.run(command, check=False, **{**quiet, "stderr": subprocess.PIPE}, text=True)
    resumed, held, again = time.monotonic() - start, status(library), planned(folder, library)
    if second.returncode or held != count or again:
        wrong.append(f"the second run: exit {second.returncode}, {held} documents, {again} still to read: {second.stderr[-300:]}")
    verify = subprocess.run([BIN / "techrag-index", "verify", "--library", library], capture_output=True, text=True)
    if verify.returncode:
        wrong.append(f"verify: {verify.stdout[-300:]}{verify.stderr[-300:]}")
    return {
        "in the library when it was interrupted": kept,
        "seconds until then": round(stopped, 1),
        "files the second run read": left,
        "its seconds": round(resumed, 1),
        "documents at the end": held,
        "files a third run would read": again,
    }, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--model", default="potion-base-8M", help="encoder; the default is the quick one")
    parser.add_argument("--part", type=float, default=0.4, help="share in the library when the run is interrupted")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    args = parser.parse_args()
    if not (BIN / "techrag-chunk").exists():
        sys.exit("many: run make build, or set TECHRAG_BIN to the folder of the tools")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        folder = work / "files"
        folder.mkdir()
        kinds = make(folder, args.files)
        one, wrong = read_all(folder, args.files)
        two, more = interrupted(folder, args.files, work, args.model, args.part)
    lines = [f"`pipelines/many.py`: {args.files:,} files of {kinds} kinds, copies with changed bytes.", ""]
    lines += ["| one run of `techrag-chunk` | |", "|---|---|", *(f"| {name} | {value} |" for name, value in one.items())]
    lines += ["", "| `pipelines/ingest.sh`, interrupted once | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in two.items()]
    wrong += more
    if args.write:
        put(args.write, lines)
    print("\n".join([*lines, *wrong]))
    return 1 if wrong else 0


def put(path, lines):
    """Puts the lines under the heading, in place of what stands there."""
    text = path.read_text() if path.exists() else "# Parsing\n"
    before, _, rest = text.partition(HEADING)
    after = rest[rest.find("\n## ") + 1 :] if "\n## " in rest else ""
    body = "\n".join([HEADING, "", *lines])
    path.write_text(f"{before.rstrip()}\n\n{body}\n" + (f"\n{after}" if after else ""))


if __name__ == "__main__":
    sys.exit(main())
