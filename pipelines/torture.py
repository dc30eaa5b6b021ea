#!/usr/bin/env python3
"""Kill a writer of a library at random moments, again and again: it must stay clean and hold what was committed.

usage: torture.py [SECONDS] [SEED]        without SECONDS or TORTURE_SECONDS it goes on until it has killed 200 times

Adds, removals, compactions and rebuilds are started and killed (SIGKILL) at a random moment of their course. After each
the library must open, verify, and hold exactly what it held before, or what the command leaves, or (for an add, which
commits document by document) something between; every document whole, word for word. One techrag-retrieve stays open
through all of it and must answer from what is there. Prints its figures last; exits 1 with the seed where a promise is
broken.
"""

import collections
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
KILLS = 200


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


class Library:
    """The library under attack, through the tools that others use."""

    def __init__(self, folder, work):
        self.folder, self.path = folder, work / "library"
        self.reader = None

    def run(self, *arguments):
        return subprocess.run(
            [self.folder / "techrag-index", *arguments, "--library", self.path], capture_output=True, text=True, check=False
        )

    def keys(self):
        listed = self.run("sql", "SELECT key FROM keys")
        if listed.returncode != 0:
            raise Broken(listed.stderr)
        return {json.loads(line)["key"] for line in listed.stdout.splitlines()}

    def check_contents(self, have, documents):
        """Every document as it was given, chunk by chunk."""
        exported = self.run("export")
        if exported.returncode != 0:
            raise Broken(f"export: {exported.stderr}")
        held = {(r["doc_id"], r["uid"], r["text"]) for r in map(json.loads, exported.stdout.splitlines()) if r["type"] == "chunk"}
        given = {
            (r["doc_id"], r["uid"], r["text"])
            for key in have for r in map(json.loads, documents[key].splitlines()) if r["type"] == "chunk"
        }
        if held != given:
            raise Broken(f"it holds {len(held)} chunks of {len(given)}: {len(held - given)} strange, {len(given - held)} missing")

    def check_reader(self, have):
        """The search that is open all the time finds what is there by its number, and nothing else."""
        if self.reader is None:
            self.reader = subprocess.Popen(
                [self.folder / "techrag-retrieve", "--library", self.path, "--mode", "bm25", "-k", "5", "-j", "1"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
        number = random.randrange(DOCUMENTS)
        self.reader.stdin.write(f"number{number}\n")
        self.reader.stdin.flush()
        found = [hit["key"] for hit in json.loads(self.reader.stdout.readline())["hits"]]
        if found != ([f"d{number}"] if f"d{number}" in have else []):
            raise Broken(f"a search for d{number} gives {found}")


class Broken(Exception):
    """A promise that was not kept."""


def attack(library, work, have, documents, lasts):
    """One command, killed or not: its kind, whether it was killed, and the keys it should leave."""
    kind, command, records, after = start(have, documents)
    (work / "input").write_text(records)
    began = time.monotonic()
    with open(work / "input") as given:
        process = subprocess.Popen(
            [library.folder / "techrag-index", *command, "-q", "--library", library.path],
            stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
    try:
        _, said = process.communicate(timeout=random.random() * lasts.get(kind, 1.0) * 1.3)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        # The next one may get further: a large add takes longer than the last that ended.
        lasts[kind] = min(1.0, lasts.get(kind, 1.0) * 1.5)
        return kind, True, after
    lasts[kind] = time.monotonic() - began
    if process.returncode != 0:
        raise Broken(f"{kind} exits {process.returncode}: {said}")
    return kind, False, after


def judge(library, kind, killed, have, after):
    """The keys the library holds, if they are among those it may hold."""
    verified = library.run("verify")
    if verified.returncode != 0:
        raise Broken(f"{kind} left damage: {verified.stdout or verified.stderr}")
    now = library.keys()
    part = killed and (now == have or kind == "add" and have <= now <= after)
    if now != after and not part:
        raise Broken(f"{kind} of {len(have)} keys left {len(now)}, not {len(after)}")
    library.check_reader(now)
    return now


def main():
    seconds = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TORTURE_SECONDS")
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    random.seed(seed)
    work = pathlib.Path(tempfile.mkdtemp())
    library = Library(tools(), work)
    rounds, kills, have, lasts = 0, collections.Counter(), set(), {}
    began = time.monotonic()
    try:
        documents = corpus(library.folder, work)
        while time.monotonic() - began < float(seconds) if seconds else kills.total() < KILLS:
            rounds += 1
            kind, killed, after = attack(library, work, have, documents, lasts)
            kills[kind] += killed
            if not library.path.exists():
                continue
            have = judge(library, kind, killed, have, after)
            if rounds % 10 == 0:
                library.check_contents(have, documents)
        library.check_contents(have, documents)
    except Broken as broken:
        sys.exit(f"torture: seed {seed}, round {rounds}: {broken}")
    finally:
        if library.reader is not None:
            library.reader.kill()
        shutil.rmtree(work, ignore_errors=True)
    by_kind = ", ".join(f"{count} {kind}" for kind, count in sorted(kills.items()) if count)
    print(
        f"{kills.total()} kills in {rounds} rounds ({by_kind}; seed {seed}): opened, clean and whole after each, "
        f"{len(have)} documents in the end, {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
