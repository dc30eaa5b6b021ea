#!/usr/bin/env python3
"""Tables of real papers: the telling cells that techrag-chunk and PyMuPDF's find_tables put at their row and column.

usage: bench-tables.py PAPERS [--write FILE] [--everywhere]

PAPERS is the folder of the PDFs that fixtures/chunk/real-tables.json names; its grids were read off pictures of the
pages. Of each grid the table of its page with the most cells right counts; *leniently*: after the one move of all rows
and columns that makes most cells right, so that a row too many above costs little, and with the characters of a cell in
any order. Text is compared without spaces and in compatibility form, so that raised digits and dashes of any kind are
alike. With --everywhere all pages are searched and what is no labelled table is counted (ten minutes for PyMuPDF).
Needs pymupdf; TECHRAG_BIN is the folder of the tools.

Prints the table as Markdown, or puts it into FILE between the markers `<!-- bench-tables: begin -->` and `end`.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
LABELS = ROOT / "fixtures/chunk/real-tables.json"
MOVES = [(row, column) for row in range(-3, 4) for column in range(-2, 3)]


def folded(text):
    text = unicodedata.normalize("NFKC", text or "")
    return re.sub(r"[‐-―−-]", "-", re.sub(r"\s+", "", text))


def techrag(files):
    """{file: {page: [grid]}}"""
    binary = pathlib.Path(os.environ.get("TECHRAG_BIN") or ROOT / "target/release") / "techrag-chunk"
    if not binary.exists():
        sys.exit("bench-tables: run make build, or set TECHRAG_BIN to the folder of the tools")
    run = subprocess.run([binary, "--ocr", "off", "--quiet", *files], stdout=subprocess.PIPE, encoding="utf-8")
    found, paths = {}, {}
    for record in map(json.loads, run.stdout.splitlines()):
        if record["type"] == "document":
            paths[record["doc_id"]] = record["path"]
        for table in record.get("tables", []):
            pages = found.setdefault(paths[record["doc_id"]], collections.defaultdict(list))
            pages[table["page"]].append(table["cells"])
    return found


def pymupdf(files, pages, **strategy):
    import pymupdf

    found = {}
    for file in files:
        document = pymupdf.open(file)
        numbers = range(1, document.page_count + 1) if pages is None else sorted(pages[file])
        found[file] = {number: [table.extract() for table in document[number - 1].find_tables(**strategy).tables]
                       for number in numbers}
    return found


def hits(grid, cells, move=(0, 0), form=folded):
    def at(row, column):
        row, column = row + move[0], column + move[1]
        return grid[row][column] if 0 <= row < len(grid) and 0 <= column < len(grid[row]) else None

    return sum(form(at(row, column)) == form(text) for row, column, text in cells)


def lenient(grid, cells):
    return max(hits(grid, cells, move, lambda text: sorted(folded(text))) for move in MOVES)


def score(found, labels, files):
    """Cells, cells right, cells right leniently, grids, grids found (half of their cells so), whole grids of the right
    shape, and tables that are none of the labelled ones."""
    sums, claimed, all_found = collections.Counter(), 0, 0
    for file in files:
        pages = found.get(file, {})
        used = collections.defaultdict(set)
        for label in labels.get(pathlib.Path(file).name, {}).values():
            grids = pages.get(label["page"], [])
            for wanted in label["grids"]:
                cells = wanted["cells"]
                shifted = [lenient(grid, cells) for grid in grids]
                exact = [hits(grid, cells) for grid in grids]
                used[label["page"]] |= {at for at, count in enumerate(shifted) if count * 4 >= len(cells)}
                best = max(range(len(grids)), key=lambda at: (exact[at], shifted[at]), default=None)
                whole = best is not None and exact[best] == len(cells) and (
                    len(grids[best]), max(map(len, grids[best]))) == (wanted["rows"], wanted["columns"])
                sums.update(cells=len(cells), exact=max(exact, default=0), lenient=max(shifted, default=0), grids=1,
                            found=max(shifted, default=0) * 2 >= len(cells), whole=whole)
        all_found += sum(map(len, pages.values()))
        claimed += sum(map(len, used.values()))
    sums["others"] = all_found - claimed
    return sums


def table(scores, everywhere):
    others = " | other grids" if everywhere else ""
    lines = [f"|  | grids found | whole, of the right shape | cells at their place | leniently{others} |",
             "|---|---|---|---|---|" + ("---|" if everywhere else "")]
    for name, sums in scores.items():
        share = lambda key: f"{sums[key]} = {100 * sums[key] / sums['cells']:.1f} %"
        others = f" | {sums['others']}" if everywhere else ""
        lines.append(f"| {name} | {sums['found']} of {sums['grids']} | {sums['whole']} | {share('exact')} | {share('lenient')}{others} |")
    any_sums = next(iter(scores.values()))
    return [f"{any_sums['cells']} telling cells of {any_sums['grids']} grids.", "", *lines]


def put(path, lines):
    text = path.read_text(encoding="utf-8")
    begin, end = "<!-- bench-tables: begin -->", "<!-- bench-tables: end -->"
    if begin not in text or end not in text:
        sys.exit(f"bench-tables: {path} has no markers {begin} and {end}")
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    body = "\n".join(lines)
    path.write_text(f"{before}{begin}\n{body}\n{end}{after}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--everywhere", action="store_true")
    args = parser.parse_args()
    labels = json.loads(LABELS.read_text(encoding="utf-8"))["papers"]
    files = [str(path) for path in sorted(args.papers.glob("*.pdf")) if args.everywhere or path.name in labels]
    if not files:
        sys.exit(f"bench-tables: none of the labelled papers is in {args.papers}")
    pages = None if args.everywhere else {
        file: {label["page"] for label in labels[pathlib.Path(file).name].values()} for file in files}
    readers = {
        "**techrag-chunk**": techrag(files),
        "PyMuPDF `find_tables()`": pymupdf(files, pages),
        "PyMuPDF, `strategy=\"text\"`": pymupdf(files, pages, strategy="text"),
    }
    scores = {name: score(found, labels, files) for name, found in readers.items()}
    lines = table(scores, args.everywhere)
    if args.write:
        put(args.write, lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
