#!/usr/bin/env python3
"""Kill a writer of a library at random moments, again and again: it must stay clean and hold what was committed.

usage: torture.py [SECONDS] [SEED]

Adds, removals, compactions and rebuilds are started and killed (SIGKILL) at a random moment of their course. After each
the library must verify, and hold exactly what it held before, or what the command leaves, or (for an add, which commits
document by document) something between. Prints its figures last; exits 1 with the seed where a promise is broken.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

DOCUMENTS = 600
BATCHES = ("20", "64", "500")


def tools():
    """The folder of the binaries, as the other pipelines find it."""
    root = pathlib.Path(__file__).resolve().parent.parent
    folder = pathlib.Path(os.environ.get("TECHRAG_BIN") or root / "target/release")
    if not (folder / "techrag-index").exists():
        sys.exit("torture: the tools are not built: run make build, or set TECHRAG_BIN to their folder")
    return folder


def corpus(folder, work):
    """Records of each document by key, as techrag-chunk writes them."""
    words = "slip angle tyre brush load camber model friction estimate road wheel force".split()
    lines = work / "corpus.jsonl"
    with open(lines, "w") as out:
        for n in range(DOCUMENTS):
            text = " ".join(random.choice(words) for _ in range(40 + n % 200))
            out.write(json.dumps({"_id": f"d{n}", "title": f"Report {n}", "text": f"{text} number{n}."}) + "\n")
    records = subprocess.run(
        [folder / "techrag-chunk", "--from", "jsonl", lines], capture_output=True, text=True, check=True
    )
    keys, by_key = {}, {}
    for line in records.stdout.splitlines(keepends=True):
        record = json.loads(line)
        key = keys.setdefault(record["doc_id"], record.get("key"))
        by_key.setdefault(key, []).append(line)
    return {key: "".join(lines) for key, lines in by_key.items()}


def start(have, documents):
    """A random command: its kind, its arguments, its input, and the keys it leaves when it ends."""
    kind = random.choice(("add", "add", "remove", "compact", "rebuild")) if have else "add"
    if kind == "add":
        new = random.sample(sorted(documents), random.randint(1, DOCUMENTS // 2))
        command = ["add", "--batch", random.choice(BATCHES)]
        return kind, command, "".join(documents[key] for key in new), have | set(new)
    if kind == "remove":
        gone = random.sample(sorted(have), random.randint(1, max(1, len(have) // 3)))
        return kind, ["remove", *gone], "", have - set(gone)
    return kind, [kind], "", have


def main():
    seconds, seed = float(sys.argv[1]) if len(sys.argv) > 1 else 45, int(sys.argv[2]) if len(sys.argv) > 2 else 0
    random.seed(seed)
    folder = tools()
    index = folder / "techrag-index"
    work = pathlib.Path(tempfile.mkdtemp())
    library = work / "library"
    run = lambda *arguments: subprocess.run(
        [index, *arguments, "--library", library], capture_output=True, text=True, check=False
    )
    try:
        documents = corpus(folder, work)
        have, rounds, kills = set(), 0, 0
        lasts = {}
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            kind, command, records, after = start(have, documents)
            (work / "input").write_text(records)
            rounds += 1
            began = time.monotonic()
            with open(work / "input") as given:
                process = subprocess.Popen(
                    [index, *command, "-q", "--library", library],
                    stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                )
            try:
                _, said = process.communicate(timeout=random.random() * lasts.get(kind, 1.0) * 1.3)
                lasts[kind] = time.monotonic() - began
                killed = False
                if process.returncode != 0:
                    sys.exit(f"torture: seed {seed}, round {rounds}: {kind} exits {process.returncode}: {said}")
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed, kills = True, kills + 1
                # The next one may get further: a large add takes longer than the last that ended.
                lasts[kind] = min(1.0, lasts.get(kind, 1.0) * 1.5)
            if not library.exists():
                continue
            verified = run("verify")
            if verified.returncode != 0:
                sys.exit(f"torture: seed {seed}, round {rounds}: {kind} left damage: {verified.stdout or verified.stderr}")
            listed = run("sql", "SELECT key FROM keys")
            if listed.returncode != 0:
                sys.exit(f"torture: seed {seed}, round {rounds}: {listed.stderr}")
            now = {json.loads(line)["key"] for line in listed.stdout.splitlines()}
            whole = now == after
            part = killed and (now == have or kind == "add" and have <= now <= after)
            if not (whole or part):
                sys.exit(f"torture: seed {seed}, round {rounds}: {kind} of {len(have)} keys left {len(now)}, not {len(after)}")
            have = now
        print(f"{kills} kills in {rounds} rounds (seed {seed}): clean after each, {len(have)} documents in the end")
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
