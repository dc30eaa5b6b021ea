#!/usr/bin/env python3
"""How well the evidence score tells questions that can be answered from those that cannot. Standard library only.

usage: evaluate-evidence.py [--off-topic HITS] FIXTURES FIXTURE_HITS FIXTURE_LIBRARY [NAME=HITS:QRELS...]
       FIXTURES is fixtures/questions; HITS are query records of techrag-retrieve -k 100
records: query records → (techrag-score, techrag-retrieve --retry, techrag-score --retry) → Markdown on stdout

A question is right to be refused when the papers do not answer it, or when the papers that do are left out of its hits
and of its retry's. WEAK counts as a refusal.
"""

import argparse
import json

import judged

NAMES = ["retrieval", "specificity", "diversity", "metadata", "fit"]


def scored(records):
    return judged.tool(["techrag-score"], records)


def points(record):
    return record["evidence"]["score"]


def without_part(record, name):
    """The score as it would be if a part gave nothing; without retrieval nothing is damped."""
    parts = {part["name"]: part["points"] for part in record["evidence"]["parts"]}
    retrieval = parts.pop("retrieval")
    damping = max(0.2, min(1.0, retrieval / 25))
    if name == "retrieval":
        return sum(parts.values())
    return retrieval + damping * sum(value for part, value in parts.items() if part != name)


def only_part(record, name):
    return next(part["points"] for part in record["evidence"]["parts"] if part["name"] == name)


def verdicts(records):
    count = {"STRONG": 0, "MODERATE": 0, "WEAK": 0}
    for record in records:
        count[record["evidence"]["verdict"]] += 1
    return "{STRONG} / {MODERATE} / {WEAK}".format(**count)


def row(name, right, wrong, label):
    area = judged.auc([points(r) for r in right], [points(r) for r in wrong])
    refused = sum(r["evidence"]["verdict"] == "WEAK" for r in wrong) / len(wrong)
    missed = sum(r["evidence"]["verdict"] == "WEAK" for r in right) / len(right)
    print(f"| {name} | {label} | {len(right)} | {len(wrong)} | {area:.3f} | {refused:.2f} | {missed:.2f} "
          f"| {verdicts(right)} | {verdicts(wrong)} |")


def retried(records, library, without):
    """Second pass and decision; documents left out stay out."""
    served = judged.tool(["techrag-retrieve", "--library", library, "--retry", "-k", "100"], records)
    for record in served:
        if record.get("retry", {}).get("hits") is not None:
            record["retry"] = judged.prepared(record["retry"], without.get(record["_id"], set()))
    return judged.tool(["techrag-score", "--retry"], served)


def retry_row(name, records):
    asked = [record["retry"] for record in records if record.get("retry")]
    taken = [r for r in asked if r["accepted"]]
    drifted = sum(r["reason"].startswith("drifted") for r in asked)
    ids = [record for record in records if (record.get("retry") or {}).get("accepted")]
    gains = [r["evidence"]["score"] - r["retry"]["before"]["evidence"]["score"] for r in ids]
    lifted = sum(r["evidence"]["verdict"] != "WEAK" for r in ids)
    gain = sum(gains) / len(gains) if gains else 0.0
    print(f"| {name} | {len(records)} | {len(asked)} | {len(taken)} | {drifted} | {len(asked) - len(taken) - drifted} "
          f"| {gain:.1f} | {lifted} |")


def fixtures(args):
    with open(f"{args.fixtures}/questions.jsonl", encoding="utf-8") as lines:
        questions = {question["_id"]: question for question in map(json.loads, lines)}
    relevant = judged.relevant(f"{args.fixtures}/qrels.tsv")
    records = judged.records(args.hits)
    answerable = [r for r in records if questions[r["_id"]]["answerable"]]
    full = {r["_id"]: r for r in scored([judged.prepared(r) for r in records])}
    left = {r["_id"]: r for r in scored([judged.prepared(r, relevant[r["_id"]]) for r in answerable])}
    halves = {}
    for half in ("tune", "test"):
        of = [name for name, question in questions.items() if question["half"] == half]
        halves[half] = tuple([some[name] for name in of if name in some and keep(questions[name])] for some, keep in (
            (full, lambda q: q["answerable"]), (full, lambda q: not q["answerable"]), (left, lambda q: True)))
    return halves, relevant


def head():
    print("| set | against | answerable | not | AUC | refused rightly | refused wrongly | S / M / W, answerable | S / M / W, not |")
    print("|---|---|---:|---:|---:|---:|---:|---|---|")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fixtures")
    parser.add_argument("hits")
    parser.add_argument("library")
    parser.add_argument("--off-topic", help="hits of questions that have nothing to do with the papers")
    parser.add_argument("collections", nargs="*", metavar="NAME=HITS:QRELS")
    args = parser.parse_args()
    halves, relevant = fixtures(args)
    head()
    off = scored([judged.prepared(r) for r in judged.records(args.off_topic)]) if args.off_topic else []
    for half, (right, unanswerable, left) in halves.items():
        row(half, right, unanswerable, "unanswerable")
        row(half, right, left, "left out")
        row(half, right, unanswerable + left, "both")
        if off:
            row(half, right, off, "off topic")
    for collection in args.collections:
        name, paths = collection.split("=", 1)
        hits, qrels = paths.split(":", 1)
        judgements = judged.relevant(qrels)
        records = [r for r in judged.records(hits) if r["_id"] in judgements]
        records = [r for r in records if judged.held_out(name, r["_id"])]
        row(f"{name}, held out", scored([judged.prepared(r) for r in records]),
            scored([judged.prepared(r, judgements[r["_id"]]) for r in records]), "left out")
    print("\n| part | " + " | ".join(f"{half}: alone | {half}: left out of the score" for half in halves) + " |")
    print("|---|" + "---:|---:|" * len(halves))
    for name in NAMES:
        cells = []
        for right, unanswerable, left in halves.values():
            wrong = unanswerable + left
            for measure in (only_part, without_part):
                cells.append(f"{judged.auc([measure(r, name) for r in right], [measure(r, name) for r in wrong]):.3f}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("\n| set | questions | asked | accepted | drifted | no better | mean gain of the accepted | no longer WEAK |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    after = {}
    for half, (right, unanswerable, left) in halves.items():
        decided = (retried(right, args.library, {}), retried(unanswerable, args.library, {}),
                   retried(left, args.library, relevant))
        for name, records in zip(("answerable", "unanswerable", "left out"), decided):
            retry_row(f"{half}, {name}", records)
        after[half] = decided
    print()
    head()
    for half, (right, unanswerable, left) in after.items():
        row(f"{half}, after the retry", right, unanswerable + left, "both")


if __name__ == "__main__":
    main()
