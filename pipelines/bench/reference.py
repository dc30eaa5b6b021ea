"""The Python stack on the same input, one engine a process. Prints one JSON object.

usage: reference.py embed MODEL TEXTS.json OUT.npy | index ENGINE FOLDER | cold MODEL FOLDER QUERY |
       stream MODEL FOLDER QUERIES.txt | lexical ENGINE FOLDER QUERIES.jsonl | dense FOLDER QUERIES.jsonl
FOLDER holds tokens.jsonl and vectors.npy; indices are written there.
"""

import json
import pathlib
import pickle
import sys
import time

BEST = 10


def seconds(call):
    began = time.perf_counter()
    result = call()
    return time.perf_counter() - began, result


def median(times):
    return sorted(times)[len(times) // 2]


def encoder(model):
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_grad_enabled(False)
    return SentenceTransformer(model, device="cpu")


def tokens(folder):
    return [json.loads(line) for line in open(folder / "tokens.jsonl")]


def embed(model, texts, out):
    import numpy

    load, sentences = seconds(lambda: encoder(model))
    texts = json.loads(pathlib.Path(texts).read_text())
    sentences.encode(texts[:8])
    took, vectors = seconds(lambda: sentences.encode(texts, normalize_embeddings=True, show_progress_bar=False))
    numpy.save(out, vectors)
    return {"load_s": load, "texts": len(texts), "encode_s": took, "max_tokens": sentences.max_seq_length}


def index(engine, folder):
    folder = pathlib.Path(folder)
    if engine == "faiss":
        import faiss
        import numpy

        vectors = numpy.load(folder / "vectors.npy")

        def build():
            flat = faiss.IndexFlatIP(vectors.shape[1])
            flat.add(vectors)
            faiss.write_index(flat, str(folder / "faiss.index"))
    elif engine == "rank_bm25":
        from rank_bm25 import BM25Okapi

        words = tokens(folder)

        def build():
            with open(folder / "rank_bm25.pickle", "wb") as out:
                pickle.dump(BM25Okapi(words, k1=1.5, b=0.75), out)
    elif engine == "bm25s":
        import bm25s

        words = tokens(folder)

        def build():
            retriever = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
            retriever.index(words, show_progress=False)
            retriever.save(str(folder / "bm25s"))
    else:
        words = [" ".join(line) for line in tokens(folder)]

        def build():
            index = tantivy_index(folder, create=True)
            writer = index.writer(heap_size=256_000_000)
            import tantivy

            for number, text in enumerate(words):
                writer.add_document(tantivy.Document(number=number, text=text))
            writer.commit()
            writer.wait_merging_threads()
    took, _ = seconds(build)
    return {"index_s": took}


def tantivy_index(folder, create=False):
    import shutil

    import tantivy

    path = folder / "tantivy"
    if create:
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
    builder = tantivy.SchemaBuilder()
    builder.add_integer_field("number", stored=True)
    builder.add_text_field("text", stored=False, tokenizer_name="whitespace")
    index = tantivy.Index(builder.build(), path=str(path))
    index.register_tokenizer("whitespace", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def lexical(engine, folder, queries):
    """Median milliseconds of a query over its tokens, and the best chunks of each with their scores."""
    folder = pathlib.Path(folder)
    asked = [json.loads(line)["tokens"] for line in open(queries)]
    times, tops = [], []
    if engine == "rank_bm25":
        import numpy

        with open(folder / "rank_bm25.pickle", "rb") as given:
            okapi = pickle.load(given)

        def search(words):
            scores = okapi.get_scores(words)
            best = numpy.argpartition(-scores, BEST)[:BEST]
            best = best[numpy.lexsort((best, -scores[best]))]
            return [(int(at), float(scores[at])) for at in best]
    elif engine == "bm25s":
        import bm25s

        retriever = bm25s.BM25.load(str(folder / "bm25s"), mmap=True)

        def search(words):
            found, scores = retriever.retrieve([words], k=BEST, show_progress=False, n_threads=0)
            return list(zip(map(int, found[0]), map(float, scores[0])))
    else:
        import tantivy

        index = tantivy_index(folder)
        searcher = index.searcher()

        def search(words):
            terms = [(tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "text", word)) for word in words]
            return [(at.doc, score) for score, at in searcher.search(tantivy.Query.boolean_query(terms), BEST).hits]
    search(asked[0])
    for words in asked:
        took, top = seconds(lambda words=words: search(words))
        times.append(took * 1000)
        tops.append(top)
    return {"queries": len(asked), "ms": median(times), "top": tops}


def dense(folder, queries):
    import faiss
    import numpy

    flat = faiss.read_index(str(pathlib.Path(folder) / "faiss.index"))
    vectors = numpy.array([json.loads(line)["vector"] for line in open(queries)], dtype=numpy.float32)
    report = {}
    for threads in (1, 2):
        faiss.omp_set_num_threads(threads)
        for round in range(2):
            times = [seconds(lambda row=row: flat.search(row[None], BEST))[0] * 1000 for row in vectors]
        report[f"ms_{threads}"] = median(times)
    return report


class Stack:
    """A hybrid search as it is put together from these libraries: encode, faiss, bm25s, reciprocal ranks."""

    def __init__(self, model, folder):
        import bm25s
        import faiss

        self.folder = pathlib.Path(folder)
        self.sentences = encoder(model)
        self.flat = faiss.read_index(str(self.folder / "faiss.index"))
        self.words = bm25s.BM25.load(str(self.folder / "bm25s"), mmap=True)
        self.texts = [json.loads(line) for line in open(self.folder / "texts.jsonl")]

    def answer(self, question):
        import re

        vector = self.sentences.encode([question], normalize_embeddings=True, show_progress_bar=False)
        near = self.flat.search(vector, 100)[1][0]
        found, _ = self.words.retrieve([re.findall(r"\w+", question.lower())], k=100, show_progress=False, n_threads=0)
        ranks = {}
        for places in (near, found[0]):
            for rank, at in enumerate(places, 1):
                ranks[int(at)] = ranks.get(int(at), 0.0) + 1 / (60 + rank)
        best = sorted(ranks.items(), key=lambda item: (-item[1], item[0]))[:20]
        return [{"number": at, "score": score, "text": self.texts[at]} for at, score in best]


def cold(model, folder, question):
    print(json.dumps(Stack(model, folder).answer(question)), file=sys.stderr)
    return {}


def stream(model, folder, queries):
    load, stack = seconds(lambda: Stack(model, folder))
    questions = pathlib.Path(queries).read_text().splitlines()
    stack.answer(questions[0])
    took, answers = seconds(lambda: [json.dumps(stack.answer(question)) for question in questions])
    return {"load_s": load, "queries": len(answers), "loop_s": took}


if __name__ == "__main__":
    calls = {"embed": embed, "index": index, "lexical": lexical, "dense": dense, "cold": cold, "stream": stream}
    print(json.dumps(calls[sys.argv[1]](*sys.argv[2:])))
