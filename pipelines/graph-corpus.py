#!/usr/bin/env python3
"""A made-up corpus for measuring the graph: 5,000 papers, 30,000 chunks, about 130,000 nodes and 340,000 edges.

usage: graph-corpus.py FOLDER [PAPERS]
records: writes FOLDER/records.jsonl (document, chunk), FOLDER/entities.jsonl and FOLDER/hits.jsonl (20 queries of 10 hits)

Terms are drawn by a power law, as real ones are used; a seed makes every run the same. Nothing in it means anything.
"""

import hashlib
import json
import pathlib
import random
import sys

folder = pathlib.Path(sys.argv[1])
papers = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
folder.mkdir(parents=True, exist_ok=True)
rng = random.Random(0)
share = papers / 5000
AUTHORS, TOPICS, METHODS, METRICS, APPLICATIONS, WORKS = (max(1, int(n * share)) for n in (15000, 300, 8000, 1500, 2000, 105000))
ROLES = ["abstract", "introduction", "method", "method", "results", "conclusion"]
WORDS = [f"word{n}" for n in range(4000)]


def drawn(count, most):
    return sorted({int(most * rng.random() ** 2) for _ in range(count)})


def terms(kind, count, most):
    return [{"name": f"{kind} {n}", "weight": 0.5, "by": ["made up"]} for n in drawn(count, most)]


def line(kind, **fields):
    return json.dumps({"type": kind, "v": 1, **fields}) + "\n"


with open(folder / "records.jsonl", "w") as records, open(folder / "entities.jsonl", "w") as entities:
    known = []
    for n in range(papers):
        doc_id = hashlib.sha256(str(n).encode()).hexdigest()[:16]
        title = f"On {rng.choice(WORDS)} and {rng.choice(WORDS)}, part {n}"
        year = 1990 + n % 35
        authors = [f"Ada Q. Author{chr(97 + a % 26)}{a}" for a in drawn(3, AUTHORS)]
        records.write(line("document", doc_id=doc_id, key=f"{n}.pdf", media_type="text/plain", bytes=1, title=title,
                           authors=authors, year=year, chunks=len(ROLES), by="graph-corpus"))
        places = []
        for ordinal, role in enumerate(ROLES):
            text = " ".join(rng.choices(WORDS, k=90)) + "."
            uid = f"{doc_id}:{ordinal}"
            records.write(line("chunk", uid=uid, doc_id=doc_id, section=role, role=role, text=text,
                               sha1=hashlib.sha1(text.encode()).hexdigest(), by="graph-corpus"))
            places.append({"uid": uid, "section": role, "role": role})
        cited = [{"title": f"Cited work {w} of some length", "year": 1980 + w % 40, "authors": [f"B. Cited{w}"]}
                 for w in sorted(rng.sample(range(WORKS), 28))]
        for other in rng.sample(known, min(2, len(known))):
            cited.append(other)
        entities.write(line("entities", doc_id=doc_id, key=f"{n}.pdf", by="graph-corpus",
                            paper={"title": title, "year": year},
                            authors=[{"name": name} for name in authors], authors_checked="unchecked",
                            topics=terms("topic", 5, TOPICS), methods=terms("method", 14, METHODS),
                            metrics=terms("metric", 6, METRICS), applications=terms("application", 3, APPLICATIONS),
                            cited=cited, chunks=places))
        known.append({"title": title, "year": year, "authors": authors})
        if n % 250 == 0:
            known = known[-200:]

ids = [hashlib.sha256(str(n).encode()).hexdigest()[:16] for n in range(papers)]
with open(folder / "hits.jsonl", "w") as queries:
    for q in range(20):
        hits = [{"uid": f"{doc}:{rng.randrange(6)}", "doc_id": doc, "key": "k", "text": " ".join(rng.choices(WORDS, k=90)),
                 "origin": "VECTOR", "scores": {"score": 1.0 - at / 10, "bm25": 10.0 - at}}
                for at, doc in enumerate(rng.sample(ids, 10))]
        queries.write(line("query", question=f"How does {rng.choice(WORDS)} change {rng.choice(WORDS)}?", hits=hits))
