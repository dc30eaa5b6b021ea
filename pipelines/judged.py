"""Judged questions and their hits: what fit-relevance.py and evaluate-evidence.py share. Standard library only.

"Leave one out": a question whose relevant documents are taken out of its hits cannot be answered although all that is
left is on topic. Hits are retrieved deep (-k 100), so that taking some out leaves a full list.
"""

import hashlib
import json
import os
import subprocess

# Hits a question has in use: the default of techrag-retrieve.
DEPTH = 20


def records(path):
    """The query records of a file of JSON lines."""
    with open(path, encoding="utf-8") as lines:
        return [record for record in map(json.loads, lines) if record.get("type") == "query"]


def relevant(path):
    """Query to the documents judged relevant, from TREC judgements (`query 0 document grade`)."""
    judged = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            query, _, document, grade = line.split()
            if int(grade) > 0:
                judged.setdefault(query, set()).add(document)
    return judged


def prepared(record, without=(), hits="hits", depth=DEPTH):
    """A copy with the first hits of documents that are not in `without`, and no relevance yet."""
    kept = [hit for hit in record[hits] if not without & {hit["key"], *hit.get("also", [])}] if without else record[hits]
    copy = dict(record)
    copy[hits] = [dict(hit, scores={k: v for k, v in hit["scores"].items() if k not in ("relevance", "features")})
                  for hit in kept[:depth]]
    return copy


def tool(arguments, given):
    """Runs a tool of the project over records, and gives back the records it wrote."""
    binary = os.path.join(os.environ["TECHRAG_BIN"], arguments[0])
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in given)
    done = subprocess.run([binary, *arguments[1:]], input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def held_out(collection, query):
    """Whether a query is kept from the fit: one in four, by a hash of its name."""
    return hashlib.sha256(f"{collection}:{query}".encode()).digest()[0] % 4 == 0


def auc(right, wrong):
    """Probability that a right one scores higher than a wrong one, ties counted half (Mann and Whitney 1947)."""
    both = sorted([(score, 1) for score in right] + [(score, 0) for score in wrong])
    above, at, ranks = len(both), 0, 0.0
    while at < above:
        end = at
        while end < above and both[end][0] == both[at][0]:
            end += 1
        ranks += sum(label for _, label in both[at:end]) * (at + 1 + end) / 2
        at = end
    n = len(right)
    return (ranks - n * (n + 1) / 2) / (n * len(wrong)) if len(right) and len(wrong) else float("nan")


def auc_interval(area, right, wrong):
    """95 % interval of an AUC by its standard error (Hanley and McNeil 1982), within 0 and 1."""
    if area != area:
        return area, area
    once, twice = area / (2 - area), 2 * area * area / (1 + area)
    spread = (right - 1) * (once - area * area) + (wrong - 1) * (twice - area * area)
    error = ((area * (1 - area) + spread) / (right * wrong)) ** 0.5
    return max(0.0, area - 1.96 * error), min(1.0, area + 1.96 * error)


def bins(pairs, count=10):
    """(mean probability, share relevant, size) of each tenth of the probabilities that is not empty."""
    cells = {}
    for probability, label in pairs:
        cells.setdefault(min(int(probability * count), count - 1), []).append((probability, label))
    mean = lambda cell, at: sum(pair[at] for pair in cell) / len(cell)
    return [(mean(cell, 0), mean(cell, 1), len(cell)) for _, cell in sorted(cells.items())]


def ece(pairs):
    """Expected calibration error: the mean distance of probability and frequency over ten bins, by size."""
    return sum(size * abs(said - seen) for said, seen, size in bins(pairs)) / len(pairs) if pairs else float("nan")
