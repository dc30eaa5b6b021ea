"""Readers of PDFs side by side on the same files; writes the section between markers in docs/PARSING.md.

usage: bench-parse [--data DIR] [--kept DIR] [--out FILE] [--fresh] [READER…]

Without --data (real papers and truth files, not in the repository) only the fixture papers are measured. Figures are
kept reader by reader under --kept; --fresh measures again.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import psutil

import readers
import real
import report
import score
import truth

HERE = pathlib.Path(__file__).resolve().parent


def measured(name, files, kept, fresh):
    """What a reader gives for the files, and what it took: wall seconds, peak memory of all its processes."""
    out, cost = kept / f"{name}.json", kept / f"{name}.cost.json"
    if fresh or not cost.exists() or set(json.loads(out.read_text())) != set(files):
        start = time.monotonic()
        process = psutil.Popen([sys.executable, HERE / "readers.py", name, out, *files])
        peak = 0
        while process.poll() is None:
            peak = max(peak, memory(process))
            time.sleep(0.02)
        if process.returncode:
            sys.exit(f"bench-parse: {name} ended with {process.returncode}")
        found = json.loads(out.read_text(encoding="utf-8"))
        for file in files:  # a file of which a reader says nothing counts as empty
            found.setdefault(file, {"text": ""})
        out.write_text(json.dumps(found, ensure_ascii=False), encoding="utf-8")
        cost.write_text(json.dumps({"wall": time.monotonic() - start, "peak": peak}))
    return json.loads(out.read_text(encoding="utf-8")), json.loads(cost.read_text())


def memory(process):
    try:
        return sum(one.memory_info().rss for one in [process, *process.children(recursive=True)])
    except psutil.Error:
        return 0


def on_truth(found, papers):
    """{layout: {reader: Score}} on papers whose source is known."""
    scores = {}
    for layout, key, path in papers:
        facts = truth.of(key)
        for name, read in found.items():
            at = scores.setdefault(layout, {}).setdefault(name, score.Score())
            got = read[str(path)]
            if got["text"]:
                score.text(at, facts, got["text"])
            if got.get("headings"):
                score.headings(at, ["Abstract", *(pieces[0] for kind, pieces in facts["blocks"] if kind == "heading")],
                               got["headings"])
            if "tables" in got:
                score.cells(at, facts["grids"], got["tables"])
            if "references" in got:
                score.references(at, facts["references"], got["references"])
    return scores


def on_truth_files(found, folder):
    """{file: {reader: Score}} on the files that come with their text."""
    scores = {}
    for path, text in truth.files(folder):
        for name, read in found.items():
            at = scores.setdefault(path.name, {}).setdefault(name, score.Score())
            facts = {"blocks": [["paragraph", [text]]]}
            score.text(at, facts, read[str(path)]["text"])
    return scores


def pages(files):
    import pymupdf

    return sum(len(pymupdf.open(file)) for file in files)


def main():
    parser = argparse.ArgumentParser(prog="bench-parse", description=__doc__.split("\n")[0])
    parser.add_argument("readers", nargs="*", help=f"of {', '.join(readers.READERS)}; all unless named")
    parser.add_argument("--data", type=pathlib.Path, help="folder with papers/ and papers_scanned/")
    parser.add_argument("--kept", type=pathlib.Path, required=True, help="where figures and typeset papers are kept")
    parser.add_argument("--out", type=pathlib.Path, default=truth.ROOT / "docs/PARSING.md")
    parser.add_argument("--fresh", action="store_true", help="measure again what is kept")
    args = parser.parse_args()
    papers = truth.committed() + truth.variants(args.kept / "papers")
    files = [str(path) for _, _, path in papers]
    world = sorted(str(path) for path in (args.data / "papers").glob("*.pdf")) if args.data else []
    known = [str(path) for path, _ in truth.files(args.data)] if args.data else []
    everything = list(dict.fromkeys(files + world + known))
    # What is slow reads the files of the first table, and the real papers where it gives text.
    first = [str(path) for _, _, path in truth.committed()]
    fewer = {"pymupdf_tables": first, "pymupdf4llm": list(dict.fromkeys(first + world + known))}
    found, costs = {}, {}
    for name in args.readers or readers.READERS:
        print(f"bench-parse: {name}", file=sys.stderr)
        mine = fewer.get(name, everything)
        # What is slow has its own ways with scans and is not timed to compare.
        is_scan = lambda file: name not in fewer and pathlib.Path(file).parent.name == "papers_scanned"
        scans = [file for file in mine if is_scan(file)]
        digital = [file for file in mine if file not in scans]
        found[name], costs[name] = measured(name, digital, args.kept, args.fresh)
        costs[name]["pages"] = pages(digital)
        if scans and name in readers.SCANS:
            scanned = readers.SCANS[name].__name__
            read, costs[scanned] = measured(scanned, scans, args.kept, args.fresh)
            costs[scanned]["pages"] = pages(scans)
            found[name] |= read
        for file in scans:  # the others find no text there
            found[name].setdefault(file, {"text": ""})
    text = {name: read for name, read in found.items() if name != "pymupdf_tables"}
    fast = {name: read for name, read in found.items() if name not in fewer}
    figures = {"versions": report.versions(), "pages": pages(everything), "files": len(everything), "costs": costs,
               "committed": on_truth(found, truth.committed()), "layouts": on_truth(fast, papers[len(first):]),
               "cpus": os.cpu_count()}
    if world:
        labels = real.labels(truth.ROOT / "fixtures/chunk/real-papers.json")
        places = real.labels(truth.ROOT / "fixtures/chunk/real-order.json", "places")
        figures |= {"judged": real.judged(text, places, args.data / "papers"), "places": len(places), "world": real.agreement(text, world), "world files": len(world), "world pages": pages(world),
                    "labels": real.labelled(text, labels, args.data / "papers"), "labelled": labels,
                    "known": on_truth_files(text, args.data)}
    report.write(args.out, figures)


if __name__ == "__main__":
    main()
