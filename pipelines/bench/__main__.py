"""The bench: our tools and the Python stack on the same input, part by part. `pipelines/bench.sh` starts it.

usage: bench [--quick] [--data DIR] [--work DIR] [--scratch DIR] [PART…]

Parts: corpus embed index lexical dense cold stream growth hundred. A part's figures are kept in DIR/results.json until
the part is run again; without names the parts that have none are run. At the end docs/PERFORMANCE.md and
docs/performance.svg are written from what there is.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import corpus
import report
from measure import Failed, Results, best, machine, once, size_of

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MODEL = "all-MiniLM-L6-v2"
STATIC = "potion-base-8M"
INT8 = "all-MiniLM-L6-v2-int8"
QUESTION = "How does the friction coefficient of the tyre change with load?"


class Bench:
    """Where things lie, and how much of it is done."""

    def __init__(self, options):
        self.quick, self.data = options.quick, pathlib.Path(options.data).resolve()
        self.work = pathlib.Path(options.work).resolve()
        self.scratch = pathlib.Path(options.scratch or options.work).resolve()
        self.tools = pathlib.Path(os.environ["TECHRAG_BIN"]).resolve()
        self.engine = pathlib.Path(os.environ["BENCH_ENGINE"]).resolve()
        self.models = pathlib.Path(os.environ["TECHRAG_MODELS"])
        self.reference_model = os.environ.get("BENCH_REFERENCE_MODEL", "")
        self.sample = options.sample or (400 if self.quick else 1500)
        self.times = 3 if self.quick else 5
        self.work.mkdir(parents=True, exist_ok=True)

    def reference(self, *arguments, **options):
        return once([sys.executable, HERE / "reference.py", *arguments], **options)

    def library(self):
        return self.work / "library"

    def corpus(self):
        figures = corpus.make(self.work, self.data, ROOT / "fixtures/papers", self.tools)
        texts = [json.loads(line)["text"] for line in open(self.work / "chunks.jsonl") if '"type": "chunk"' in line[:40]]
        (self.work / "texts.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
        texts_in = self.work / "texts-in.jsonl"
        texts_in.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        ran = once([self.engine, "tokens"], stdin=texts_in)
        (self.work / "tokens.jsonl").write_text(ran.out)
        figures.update(characters=sum(map(len, texts)), tokenise_s=ran.wall)
        return figures

    def embed(self):
        size = self.sample
        sample = corpus.sampled(self.work, size)
        figures = {"sample": size}
        embed = self.tools / "techrag-embed"
        ours = {}
        for windows in ("first", "all"):
            ran = best([embed, "--windows", windows], 2, stdin=sample)
            ours[windows] = ran
            figures[f"ours_{windows}"] = {**ran.figures(), "chunks_s": size / ran.wall}
        (self.work / "sample-embedded.jsonl").write_text(ours["first"].out)
        empty = self.work / "one.jsonl"
        corpus.as_chunks(["slip"], empty)
        # What starting and loading takes is no property of the rate.
        figures["ours_start_s"] = best([embed, "--windows", "first"], 2, stdin=empty).wall
        if (self.models / INT8).is_dir():
            ran = best([embed, "--windows", "first", "--model", INT8], 2, stdin=sample)
            figures["int8"] = {**ran.figures(), "chunks_s": size / ran.wall}
        if (self.models / STATIC).is_dir():
            ran = best([embed, "--model", STATIC], 2, stdin=self.work / "chunks.jsonl")
            figures["static"] = {**ran.figures(), "chunks_s": corpus.CHUNKS / ran.wall}
        if self.reference_model:
            out = self.work / "reference.npy"
            runs = [self.reference("embed", self.reference_model, self.work / "sample.json", out) for _ in range(2)]
            ran = min(runs, key=lambda ran: json.loads(ran.out)["encode_s"])
            said = json.loads(ran.out)
            figures["sentence_transformers"] = {**ran.figures(), **said, "chunks_s": size / said["encode_s"]}
            figures["cosine_min"] = self.agreement(ours["first"].out, out)
        asked = (self.work / "queries.txt").read_text().splitlines()
        corpus.as_chunks(asked, self.work / "queries-chunks.jsonl")
        vectors = once([embed, "--windows", "first", "--vectors", "array"], stdin=self.work / "queries-chunks.jsonl").out
        self.write_asked(asked, [json.loads(line) for line in vectors.splitlines()])
        return figures

    def agreement(self, ours, theirs):
        import numpy

        records = [json.loads(line) for line in ours.splitlines()]
        rows = numpy.array([corpus.unpacked(r["vectors"]["windows"][0]) for r in records if r["type"] == "chunk"])
        return float((rows * numpy.load(theirs)).sum(axis=1).min())

    def write_asked(self, asked, records):
        vectors = [record["vectors"]["windows"][0]["vector"] for record in records if record["type"] == "chunk"]
        texts = self.work / "asked-in.jsonl"
        texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in asked))
        tokens = [json.loads(line) for line in once([self.engine, "tokens"], stdin=texts).out.splitlines()]
        with open(self.work / "asked.jsonl", "w") as out:
            for text, vector, words in zip(asked, vectors, tokens):
                out.write(json.dumps({"text": text, "vector": vector, "tokens": words}) + "\n")

    def index(self):
        corpus.spread_vectors(self.work, self.work / "sample-embedded.jsonl")
        add = [self.tools / "techrag-index", "add", "-q", "--library", self.library()]
        ran = best(add, 1 if self.quick else 2, before=lambda: shutil.rmtree(self.library(), ignore_errors=True),
                   stdin=self.work / "embedded.jsonl")
        once([self.tools / "techrag-index", "compact", "--library", self.library()])
        figures = {"ours": {**ran.figures(), "bytes": size_of(self.library()),
                            "segments": size_of(self.library() / "segments")}}
        files = {"faiss": "faiss.index", "rank_bm25": "rank_bm25.pickle", "bm25s": "bm25s", "tantivy": "tantivy"}
        for engine, file in files.items():
            ran = self.reference("index", engine, self.work)
            figures[engine] = {**ran.figures(), **json.loads(ran.out), "bytes": size_of(self.work / file)}
        hnsw = once([self.tools / "techrag-index", "hnsw", "--library", self.library()])
        figures["hnsw"] = {**hnsw.figures(), "said": hnsw.out.strip().splitlines()}
        once([self.tools / "techrag-index", "hnsw", "--drop", "--library", self.library()])
        return figures

    def engine_queries(self, threads):
        ran = best([self.engine, "queries", self.library()], self.times, stdin=self.work / "asked.jsonl",
                   env={"RAYON_NUM_THREADS": str(threads)})
        return json.loads(ran.out)

    def lexical(self):
        ours = self.engine_queries(1)
        tops = ours.pop("okapi_top")
        figures = {"ours": {"okapi_ms": ours["okapi_ms"], "lucene_ms": ours["lucene_ms"]}}
        few = self.work / "asked-few.jsonl"
        count = 40 if self.quick else corpus.QUERIES
        few.write_text("".join((self.work / "asked.jsonl").open().readlines()[:count]))
        for engine in ("rank_bm25", "bm25s", "tantivy"):
            said = json.loads(self.reference("lexical", engine, self.work, few).out)
            top = said.pop("top")
            figures[engine] = said
            if engine == "rank_bm25":
                figures["identical"] = self.identical(tops, top)
        return figures

    def identical(self, ours, theirs):
        """How many queries have the same scores in the same order as rank_bm25, of how many."""
        import numpy

        uids = [record["uid"] for record in map(json.loads, open(self.work / "chunks.jsonl")) if record["type"] == "chunk"]
        same = 0
        for mine, reference in zip(ours, theirs):
            reference = [(uids[at], score) for at, score in reference if score > 0]
            scores = numpy.allclose([s for _, s in mine], [s for _, s in reference], rtol=1e-9) if len(mine) == len(reference) else False
            # Ties at the end may be cut elsewhere.
            last = mine[-1][1] if mine else 0
            above = lambda top: {uid for uid, score in top if score > last * (1 + 1e-9)}
            same += bool(scores and above(mine) == above(reference))
        return {"queries": len(theirs), "same": same}

    def dense(self):
        figures = {"ours": {f"ms_{threads}": self.engine_queries(threads)["dense_ms"] for threads in (1, 2)}}
        figures["faiss"] = json.loads(self.reference("dense", self.work, self.work / "asked.jsonl").out)
        return figures

    def cold(self):
        figures = {}
        question = self.work / "question.txt"
        question.write_text(QUESTION + "\n")
        for mode in ("bm25", "hybrid"):
            command = [self.tools / "techrag-retrieve", "--library", self.library(), "--mode", mode, "--rerank", "off"]
            figures[f"ours_{mode}"] = best(command, 2 * self.times, stdin=question).figures()
        if self.reference_model:
            runs = [self.reference("cold", self.reference_model, self.work, QUESTION) for _ in range(self.times)]
            figures["python"] = min(runs, key=lambda ran: ran.wall).figures()
        return figures

    def stream(self):
        figures = {}
        queries = self.work / "queries.txt"
        for mode in ("bm25", "dense", "hybrid"):
            command = [self.tools / "techrag-retrieve", "--library", self.library(), "--mode", mode, "--rerank", "off"]
            ran = best(command, self.times, stdin=queries)
            figures[f"ours_{mode}"] = {**ran.figures(), "queries_s": corpus.QUERIES / ran.wall}
        if self.reference_model:
            runs = [self.reference("stream", self.reference_model, self.work, queries) for _ in range(2)]
            ran = min(runs, key=lambda ran: json.loads(ran.out)["loop_s"])
            said = json.loads(ran.out)
            figures["python"] = {**ran.figures(), **said, "queries_s": said["queries"] / said["loop_s"]}
        return figures

    def growth(self):
        sizes = [1_000, 10_000, 100_000, 1_000_000]
        graphs = set(sizes[:3]) if self.quick else set(sizes)
        rows = []
        for size in sizes:
            folder = self.scratch / "techrag-bench-grown"
            shutil.rmtree(folder, ignore_errors=True)
            try:
                ran = once([self.engine, "grow", folder, str(size), "1" if size in graphs else "0"])
                rows.append({**json.loads(ran.out), "peak_mb": ran.peak, "bytes": size_of(folder)})
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        return {"rows": rows}

    def hundred(self):
        papers = sorted((self.data / "papers").glob("*.pdf")) or sorted((ROOT / "fixtures/papers").glob("*.pdf"))
        folder, library = self.work / "hundred", self.work / "hundred-library"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for n in range(100):
            paper = papers[n % len(papers)]
            (folder / f"{n:03}-{paper.name}").write_bytes(paper.read_bytes() + f"\n% copy {n}\n".encode())
        figures = {"distinct": len(papers)}
        models = [model for model in (STATIC, MODEL) if (self.models / model).is_dir()]
        for model in models:
            shutil.rmtree(library, ignore_errors=True)
            place = self.work / f"with-{model}"
            place.mkdir(exist_ok=True)
            (place / "techrag.toml").write_text(f'[embed]\nmodel = "{model}"\n')
            ingest = once([HERE.parent / "ingest.sh", folder, library], codes=(0, 3), cwd=place)
            ask = once([HERE.parent / "ask.sh", library, QUESTION], codes=(0, 1), cwd=place)
            status = json.loads(once([self.tools / "techrag-index", "status", "--json", "--library", library]).out)
            figures[model] = {
                "ingest": ingest.figures(), "ask": ask.figures(), "answer": ask.out.strip()[:300],
                **{key: status[key] for key in ("documents", "pages", "chunks", "windows")},
            }
        return figures


PARTS = ("corpus", "embed", "index", "lexical", "dense", "cold", "stream", "growth", "hundred")


def main():
    parser = argparse.ArgumentParser(prog="bench.sh", description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="smaller samples and fewer repetitions: about ten minutes")
    parser.add_argument("--data", default=ROOT.parent / "shared/data", help="folder with papers/ and ir/")
    parser.add_argument("--work", default=ROOT / "target/bench", help="where corpora, indices and results are kept")
    parser.add_argument("--sample", type=int, help="chunks that both sides embed [default: 1500, 400 with --quick]")
    parser.add_argument("--scratch", help="where the part growth keeps its libraries, 4 GB at most [default: DIR of --work]")
    parser.add_argument("--note", default="", help="a sentence for the page on how the machine was when this ran")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {' '.join(PARTS)}")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]}")
    bench = Bench(options)
    results = Results(bench.work / "results.json")
    for part in options.parts or [part for part in PARTS if part not in results.parts]:
        began, load = time.monotonic(), os.getloadavg()
        print(f"bench: {part}", file=sys.stderr, flush=True)
        try:
            figures = getattr(bench, part)()
        except (Failed, OSError, subprocess.SubprocessError) as error:
            sys.exit(f"bench: {part}: {error}")
        results.put(part, {**figures, "quick": options.quick}, began, load)
        print(f"bench: {part}: {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    report.write(results.parts, machine(), ROOT / "docs", options.note)
    print((ROOT / "docs/PERFORMANCE.md").read_text())


if __name__ == "__main__":
    main()
