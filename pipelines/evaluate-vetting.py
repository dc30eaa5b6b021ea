#!/usr/bin/env python3
"""Does the vetting keep what is relevant? A judged collection behind a loopback index, asked through the real tool.

usage: evaluate-vetting.py COLLECTION [--questions N] [--encoder off]

COLLECTION is a folder with corpus.jsonl, queries.jsonl and qrels.tsv in BEIR's form. A server on this machine poses as
Crossref over it (BM25, twenty works a query); `techrag-external --rejected` asks it and vets. Prints, over all works
found: how many are relevant, how many of the vetted are, how many of the relevant pass; and the same for other bars.
"""

import argparse
import collections
import http.server
import importlib.util
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("load_external", HERE / "load-external.py")
load_external = importlib.util.module_from_spec(spec)
spec.loader.exec_module(load_external)

words = lambda text: re.findall(r"[a-z0-9]+", text.lower())


class Index:
    """BM25 over a collection, k1 1.2, b 0.75."""

    def __init__(self, documents):
        self.documents = documents
        self.postings, self.lengths = collections.defaultdict(dict), {}
        for name, document in documents.items():
            counts = collections.Counter(words(f"{document['title']} {document['text']}"))
            self.lengths[name] = sum(counts.values())
            for word, count in counts.items():
                self.postings[word][name] = count
        self.mean = sum(self.lengths.values()) / max(1, len(self.lengths))

    def search(self, query, rows):
        scores = collections.Counter()
        for word in set(words(query)):
            holders = self.postings.get(word, {})
            idf = math.log(1 + (len(self.documents) - len(holders) + 0.5) / (len(holders) + 0.5))
            for name, count in holders.items():
                norm = 1.2 * (1 - 0.75 + 0.75 * self.lengths[name] / self.mean)
                scores[name] += idf * count * 2.2 / (count + norm)
        return sorted(scores, key=lambda name: (-scores[name], name))[:rows]


def serve(index):
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            parameters = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
            found = index.search(parameters["query.bibliographic"][0], int(parameters["rows"][0]))
            items = [
                {"DOI": f"10.5555/{name}", "type": "journal-article", "title": [index.documents[name]["title"] or name],
                 "abstract": index.documents[name]["text"]}
                for name in found
            ]
            body = json.dumps({"status": "ok", "message": {"items": items}}).encode()
            self.send_response(200)
            limits = [("x-rate-limit-limit", "1000"), ("x-rate-limit-interval", "1s"), ("x-concurrency-limit", "8")]
            for header, value in [("content-type", "application/json"), ("content-length", str(len(body))), *limits]:
                self.send_header(header, value)
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collection", type=pathlib.Path)
    parser.add_argument("--questions", type=int, default=10**6)
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    options = parser.parse_args()
    documents = {line["_id"]: line for line in lines(options.collection / "corpus.jsonl") if line["text"].strip()}
    relevant = collections.defaultdict(set)
    for line in (options.collection / "qrels.tsv").read_text().splitlines():
        parts = line.split()
        if parts[-1].lstrip("-").isdigit() and int(parts[-1]) > 0:
            relevant[parts[0]].add(parts[-2] if len(parts) > 2 else parts[1])
    queries = [line for line in lines(options.collection / "queries.jsonl") if relevant[line["_id"]]][: options.questions]
    with tempfile.TemporaryDirectory() as cache:
        command = [
            load_external.tool(), "--search", "always", "--sources", "crossref", "--endpoint", f"crossref={serve(Index(documents))}",
            "--cache", cache, "--rejected", "--max-results", "20", "--max-wait", "60", "--encoder", options.encoder, "-j", "2",
        ]
        asked = "".join(json.dumps({"_id": query["_id"], "text": query["text"]}) + "\n" for query in queries)
        run = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    judged, attempts, enough = [], collections.Counter(), 0
    for record in map(json.loads, run.stdout.splitlines()):
        external = record["external"]
        attempts[len(external["attempts"])] += 1
        passed = 0
        for work in external.get("works", []):
            name = work["doi"].removeprefix("10.5555/")
            vetting = work["vetting"]
            passed += vetting["passed"]
            judged.append((name in relevant[record["_id"]], vetting["passed"], vetting["coverage"], vetting.get("cosine")))
        enough += passed >= 2
    total = len(judged)
    good = sum(hit for hit, *_ in judged)
    print(f"{len(queries)} questions, {total} works found, {good} of them judged relevant ({good / max(1, total):.2f}); "
          f"{enough} questions with two vetted; attempts {dict(sorted(attempts.items()))}")
    print("| bar | vetted | precision | recall of the relevant found |\n|---|---:|---:|---:|")

    def row(name, kept):
        kept = list(kept)
        hits = sum(hit for hit, *_ in kept)
        print(f"| {name} | {len(kept)} | {hits / max(1, len(kept)):.3f} | {hits / max(1, good):.3f} |")

    row("as built", (one for one in judged if one[1]))
    for coverage in (0.3, 0.4, 0.5, 0.6, 0.7):
        row(f"coverage {coverage}", (one for one in judged if one[2] >= coverage))
    for cosine in (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6):
        for coverage in (0.3, 0.5):
            row(f"coverage {coverage}, cosine {cosine}", (one for one in judged if one[2] >= coverage and (one[3] or 0) >= cosine))


if __name__ == "__main__":
    sys.exit(main())
