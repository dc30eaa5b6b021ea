#!/usr/bin/env python3
"""Writes run.jsonl, qrels.txt and reference.json: what trec_eval says of a small run.

    pip install pytrec-eval-terrier==0.5.11
    python3 make_reference.py

The run is made from a fixed seed and holds what is easy to get wrong: graded and negative judgements, tied scores,
several chunks of one document, equal texts of several documents merged into one hit, fewer hits than the cut-off, a
query without hits, a judged query that is missing from the run, a query in the run that nobody judged, and a query
with judgements but nothing relevant. Documents are ranked here independently of the Rust code and handed to trec_eval
with scores that fall from rank to rank, since it sorts by score and not by rank.
"""
import json
import pathlib
import random

import pytrec_eval

HERE = pathlib.Path(__file__).parent
CUTOFFS = [1, 5, 10, 100]
draw = random.Random(20)


def hits_of(n):
    """n hits over 60 documents, scores falling with ties, some merged with equal texts of other documents."""
    score, hits = 9.0, []
    for i in range(n):
        score -= draw.choice([0, 0, 0.125, 0.25])
        hit = {"uid": f"{i:016x}:0", "doc_id": f"{i:016x}", "key": f"d{draw.randrange(60):02}", "text": "", "origin": "VECTOR",
               "scores": {"score": score}}
        if draw.random() < 0.2:
            hit["also"] = [f"d{k:02}" for k in sorted(draw.sample(range(60), draw.choice([1, 2])))]
        hits.append(hit)
    return hits


queries = {f"q{i:02}": hits_of(draw.choice([3, 8, 40, 90])) for i in range(1, 19)}
queries["no-hits"] = []
qrels = {}
for name, hits in [*queries.items(), ("missing", [])]:  # mostly documents from the top, so that every measure has something to see
    judged = [hit["key"] for hit in hits[:12] if draw.random() < 0.4] + [f"d{draw.randrange(60):02}" for _ in range(4)]
    qrels[name] = {document: draw.choice([-1, 0, 1, 1, 2, 3]) for document in judged}
qrels["q01"] = {"d01": 0, "d02": -1, "d03": 0}  # nothing relevant
qrels["missing"]["d00"] = 2
queries["unjudged"] = hits_of(8)

with open(HERE / "run.jsonl", "w") as out:
    for name, hits in queries.items():
        record = {"type": "query", "v": 1, "_id": name, "query_id": "", "question": name, "hits": hits}
        out.write(json.dumps(record, separators=(",", ":")) + "\n")
with open(HERE / "qrels.txt", "w") as out:
    for name, grades in qrels.items():
        out.writelines(f"{name} 0 {document} {grade}\n" for document, grade in grades.items())

run = {}
for name, hits in queries.items():
    ranked = list(dict.fromkeys(key for hit in hits for key in [hit["key"], *hit.get("also", [])]))
    run[name] = {document: float(len(ranked) - rank) for rank, document in enumerate(ranked)}
cuts = ",".join(map(str, CUTOFFS))
measures = {"map", "recip_rank", f"ndcg_cut.{cuts}", f"P.{cuts}", f"recall.{cuts}"}
seen = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
names = {"map": "map", "mrr": "recip_rank"}
for k in CUTOFFS:
    names |= {f"ndcg@{k}": f"ndcg_cut_{k}", f"p@{k}": f"P_{k}", f"r@{k}": f"recall_{k}"}
for k in CUTOFFS:  # trec_eval has no cut reciprocal rank: it is that of the run cut
    cut = {name: dict(list(documents.items())[:k]) for name, documents in run.items()}
    for name, values in pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut).items():
        seen[name][f"mrr@{k}"] = values["recip_rank"]
    names[f"mrr@{k}"] = f"mrr@{k}"
per_query = {name: {ours: round(values[theirs], 6) for ours, theirs in names.items()} for name, values in sorted(seen.items())}
# trec_eval -c: the mean over the judged queries, those absent from the run as 0.
means = {ours: round(sum(values[ours] for values in per_query.values()) / len(qrels), 6) for ours in names}
made_by = f"pytrec-eval-terrier {__import__('importlib.metadata').metadata.version('pytrec-eval-terrier')}"
text = json.dumps({"made_by": made_by, "cutoffs": CUTOFFS, "mean": means, "per_query": per_query}, indent=1)
(HERE / "reference.json").write_text(text + "\n")
print(f"{len(per_query)} queries measured by {made_by}")
