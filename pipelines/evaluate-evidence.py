#!/usr/bin/env python3
"""How well the evidence score tells questions that can be answered from those that cannot. Standard library only.

usage: evaluate-evidence.py --questions NAME=DIR:HITS:LIBRARY[:OFF_TOPIC_HITS]... --collection NAME=HITS:QRELS:LIBRARY...
       DIR holds questions.jsonl and qrels.tsv; HITS are query records of techrag-retrieve -k 100
records: query records → (techrag-score, techrag-retrieve --retry, techrag-score --retry) → Markdown on stdout

A question is right to be refused when the papers do not answer it, or when the papers that do are left out of its hits
and of its retry's. Of a collection the queries are read that the fit of the relevance has not seen.
"""

import argparse
import json
from dataclasses import dataclass, field

import judged

PARTS = ["retrieval", "specificity", "diversity", "metadata", "fit"]


@dataclass
class Set:
    """Scored questions: answerable, unanswerable by any paper, and answerable with their papers left out."""

    name: str
    library: str
    relevant: dict
    right: list
    unanswerable: list
    left: list
    off_topic: list = field(default_factory=list)
    kinds: dict = field(default_factory=dict)

    @property
    def wrong(self):
        return self.unanswerable + self.left

    def against(self):
        """(label, questions to be refused) of every comparison there is."""
        if not self.unanswerable:
            return [("left out", self.left)]
        rows = [("unanswerable", self.unanswerable), ("left out", self.left), ("both", self.wrong)]
        return rows + ([("other papers", self.off_topic)] if self.off_topic else [])


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


def question_sets(text):
    """The two halves of a set of our own questions."""
    name, paths = text.split("=", 1)
    folder, hits, library, *off_topic = paths.split(":")
    with open(f"{folder}/questions.jsonl", encoding="utf-8") as lines:
        questions = {question["_id"]: question for question in map(json.loads, lines)}
    relevant = judged.relevant(f"{folder}/qrels.tsv")
    records = judged.records(hits)
    full = scored([judged.prepared(record) for record in records])
    left = scored([judged.prepared(r, relevant[r["_id"]]) for r in records if questions[r["_id"]]["answerable"]])
    off = scored([judged.prepared(record) for path in off_topic for record in judged.records(path)])
    for half in ("tune", "test"):
        mine = lambda records: [record for record in records if questions[record["_id"]]["half"] == half]
        yes = lambda records, answer: [r for r in records if questions[r["_id"]]["answerable"] is answer]
        yield Set(f"{name}, {half}", library, relevant, yes(mine(full), True), yes(mine(full), False), mine(left), off,
                  {name: question["kind"] for name, question in questions.items()})


def collection_set(text):
    """The queries of a judged collection that were kept out of the fit."""
    name, paths = text.split("=", 1)
    hits, qrels, library = paths.split(":")
    relevant = judged.relevant(qrels)
    records = [r for r in judged.records(hits) if r["_id"] in relevant and judged.held_out(name, r["_id"])]
    return Set(f"{name}, held out", library, relevant, scored([judged.prepared(r) for r in records]), [],
               scored([judged.prepared(r, relevant[r["_id"]]) for r in records]))


def table(*heads):
    print("\n| " + " | ".join(heads) + " |\n|---|" + "---:|" * (len(heads) - 1))


def below(records, verdicts):
    return sum(record["evidence"]["verdict"] in verdicts for record in records) / len(records)


def counts(records):
    return " / ".join(str(sum(r["evidence"]["verdict"] == v for r in records)) for v in ("STRONG", "MODERATE", "WEAK"))


def separation(rows):
    """AUC, and what would be refused below either threshold."""
    table("set", "against", "answerable", "not", "AUC [95 %]", "below 50: rightly", "wrongly", "below 80: rightly",
          "wrongly", "S / M / W, answerable", "S / M / W, not")
    for name, label, right, wrong in rows:
        area = judged.auc([points(r) for r in right], [points(r) for r in wrong])
        low, high = judged.auc_interval(area, len(right), len(wrong))
        shares = [f"{below(side, verdicts):.2f}" for verdicts in (("WEAK",), ("WEAK", "MODERATE"))
                  for side in (wrong, right)]
        print(f"| {name} | {label} | {len(right)} | {len(wrong)} | {area:.3f} [{low:.2f}, {high:.2f}] | "
              + " | ".join(shares) + f" | {counts(right)} | {counts(wrong)} |")


def by_kind(sets):
    """Where it errs: WEAK ones of the answerable, those that are not WEAK of the others."""
    sets = [one for one in sets if one.kinds]
    kinds = list(dict.fromkeys(one.kinds[record["_id"]] for one in sets for record in one.right))
    table("set", *kinds)
    for one in sets:
        for label, records, weak in (("answerable, refused", one.right, True), ("not, let through", one.wrong, False)):
            cells = []
            for kind in kinds:
                asked = [r["evidence"]["verdict"] == "WEAK" for r in records if one.kinds[r["_id"]] == kind]
                cells.append(f"{asked.count(weak)} of {len(asked)}")
            print(f"| {one.name}: {label} | " + " | ".join(cells) + " |")


def ablation(sets):
    """Each part's AUC alone, and the score's without it."""
    table("part", *(one.name for one in sets))
    area = lambda one, measure: f"{judged.auc([measure(r) for r in one.right], [measure(r) for r in one.wrong]):.3f}"
    print("| the whole score | " + " | ".join(area(one, points) for one in sets) + " |")
    for part in PARTS:
        cells = (f"{area(one, lambda r: only_part(r, part))} / {area(one, lambda r: without_part(r, part))}" for one in sets)
        print(f"| {part} | " + " | ".join(cells) + " |")


def retried(records, library, without):
    """Second pass and decision; documents left out stay out."""
    served = judged.tool(["techrag-retrieve", "--library", library, "--retry", "-k", "100"], records)
    for record in served:
        if record.get("retry", {}).get("hits") is not None:
            record["retry"] = judged.prepared(record["retry"], without.get(record["_id"], set()))
    return judged.tool(["techrag-score", "--retry"], served)


def retry_row(name, records):
    asked = [record for record in records if record.get("retry")]
    taken = [record for record in asked if record["retry"]["accepted"]]
    drifted = sum(record["retry"]["reason"].startswith("drifted") for record in asked)
    gains = [points(record) - record["retry"]["before"]["evidence"]["score"] for record in taken]
    lifted = sum(record["evidence"]["verdict"] != "WEAK" for record in taken)
    print(f"| {name} | {len(records)} | {len(asked)} | {len(taken)} | {drifted} | {len(asked) - len(taken) - drifted} "
          f"| {sum(gains) / len(gains) if gains else 0.0:.1f} | {lifted} |")


def retries(sets):
    """What the second pass does, and the sets as they are after it."""
    table("set", "questions", "asked", "accepted", "drifted", "no better", "mean gain of the accepted", "no longer WEAK")
    after = []
    for one in sets:
        decided = Set(one.name, one.library, one.relevant, retried(one.right, one.library, {}),
                      retried(one.unanswerable, one.library, {}), retried(one.left, one.library, one.relevant))
        for label, records in (("answerable", decided.right), ("unanswerable", decided.unanswerable),
                               ("left out", decided.left)):
            if records:
                retry_row(f"{one.name}: {label}", records)
        after.append(decided)
    return after


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", action="append", default=[], metavar="NAME=DIR:HITS:LIBRARY[:OFF_TOPIC_HITS]")
    parser.add_argument("--collection", action="append", default=[], metavar="NAME=HITS:QRELS:LIBRARY")
    args = parser.parse_args()
    sets = [half for text in args.questions for half in question_sets(text)]
    sets += [collection_set(text) for text in args.collection]
    print("\n### How well the score separates")
    separation((one.name, label, one.right, wrong) for one in sets for label, wrong in one.against())
    print("\n### Where it errs, below 50, by kind of question")
    by_kind(sets)
    print("\n### The parts\n\nThe AUC of a part alone / of the score without it, against unanswerable and left out together.")
    ablation(sets)
    print("\n### The retry")
    after = retries(sets)
    print("\n### How well the score separates after the retry")
    separation((one.name, one.against()[-1][0], one.right, one.wrong) for one in after)


if __name__ == "__main__":
    main()
