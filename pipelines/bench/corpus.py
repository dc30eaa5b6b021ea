"""The 31,000 chunks: the given papers and collections through techrag-chunk, topped up by paragraphs of theirs in new
order. Seeded: the same data gives the same chunks."""

import base64
import json
import pathlib
import random
import struct

from measure import once

CHUNKS = 31_000
QUERIES = 200
SEED = 5
# Paragraphs of a made-up document, and characters of a paragraph that counts.
PARAGRAPHS = 24
SHORTEST = 200
# How far a made-up vector lies from the real one it is near to.
SPREAD = 0.35


def records(lines):
    """Documents, each with its chunks."""
    documents, order = {}, []
    for line in lines:
        record = json.loads(line)
        if record["type"] == "document" and record["doc_id"] not in documents:
            documents[record["doc_id"]] = (record, [])
            order.append(record["doc_id"])
        elif record["type"] == "chunk":
            documents[record["doc_id"]][1].append(record)
    return [documents[doc_id] for doc_id in order]


def made_up(chunks, lacking, work, tools):
    """Documents of paragraphs drawn from the papers' chunks, until there are enough chunks."""
    chance = random.Random(SEED)
    paragraphs = sorted({p.strip() for chunk in chunks for p in chunk["text"].split("\n\n") if len(p) >= SHORTEST})
    corpus, wanted = work / "made-up.jsonl", lacking // 4 + 200
    with open(corpus, "w") as out:
        for n in range(wanted):
            text = "\n\n".join(chance.choices(paragraphs, k=PARAGRAPHS))
            out.write(json.dumps({"_id": f"m{n}", "title": f"Made up {n}", "text": text}) + "\n")
    return records(once([tools / "techrag-chunk", "--from", "jsonl", corpus]).out.splitlines())


def make(work, data, fixtures, tools):
    """Writes chunks.jsonl (documents and chunks) and queries.txt, and says what they are made of."""
    papers = data / "papers" if (data / "papers").is_dir() else fixtures
    collections = sorted((data / "ir").glob("*/corpus.jsonl")) if (data / "ir").is_dir() else []
    documents = records(once([tools / "techrag-chunk", papers], codes=(0, 3)).out.splitlines())
    of_papers = sum(len(chunks) for _, chunks in documents)
    paper_chunks = [chunk for _, chunks in documents for chunk in chunks]
    for corpus in collections:
        documents += records(once([tools / "techrag-chunk", "--from", "jsonl", corpus], codes=(0, 3)).out.splitlines())
    given = sum(len(chunks) for _, chunks in documents)
    if given < CHUNKS:
        documents += made_up(paper_chunks, CHUNKS - given, work, tools)
    count = 0
    with open(work / "chunks.jsonl", "w") as out:
        for at, (document, chunks) in enumerate(documents):
            chunks = chunks[: CHUNKS - count]
            if not chunks:
                continue
            count += len(chunks)
            # Names of different collections may be the same.
            out.write(json.dumps({**document, "key": f"{at}/{document['key']}", "chunks": len(chunks)}) + "\n")
            out.writelines(json.dumps(chunk) + "\n" for chunk in chunks)
    write_queries(work, collections, fixtures)
    return {"chunks": count, "of_papers": of_papers, "of_collections": given - of_papers, "made_up": count - given}


def write_queries(work, collections, fixtures):
    """Questions of the collections in turn; of the fixtures where there are none."""
    chance = random.Random(SEED)
    texts = []
    for corpus in collections:
        lines = (corpus.parent / "queries.jsonl").read_text().splitlines()
        texts += [" ".join(json.loads(line)["text"].split()) for line in lines]
    if not texts:
        lines = (fixtures.parent / "questions/questions.jsonl").read_text().splitlines()
        texts = [json.loads(line)["text"] for line in lines] * QUERIES
    chance.shuffle(texts)
    (work / "queries.txt").write_text("".join(text + "\n" for text in texts[:QUERIES]))


def unpacked(window):
    data = base64.b64decode(window["vector"])
    return struct.unpack(f"<{len(data) // 4}f", data)


def spread_vectors(work, sample):
    """Writes embedded.jsonl: every chunk with one vector, that of a sampled chunk with something of its own added, and
    vectors.npy with the same rows for the others."""
    import numpy

    chance = numpy.random.default_rng(SEED)
    real = [json.loads(line) for line in open(sample)]
    real = [record for record in real if record["type"] == "chunk"]
    head = {key: real[0]["vectors"][key] for key in ("model", "revision", "dim")}
    centres = numpy.array([unpacked(record["vectors"]["windows"][0]) for record in real], dtype=numpy.float32)
    rows = []
    with open(work / "chunks.jsonl") as given, open(work / "embedded.jsonl", "w") as out:
        for line in given:
            record = json.loads(line)
            if record["type"] == "chunk":
                centre = centres[chance.integers(len(centres))]
                own = chance.normal(size=len(centre)).astype(numpy.float32)
                row = centre + SPREAD * own / numpy.linalg.norm(own)
                row /= numpy.linalg.norm(row)
                rows.append(row)
                vector = base64.b64encode(row.astype("<f4").tobytes()).decode()
                window = {"start": 0, "end": len(record["text"].encode()), "vector": vector}
                record["vectors"] = {**head, "windows": [window]}
            out.write(json.dumps(record) + "\n")
    numpy.save(work / "vectors.npy", numpy.array(rows, dtype=numpy.float32))


def as_chunks(texts, path):
    """Texts as chunk records of one document, for techrag-embed."""
    with open(path, "w") as out:
        document = {"type": "document", "v": 1, "doc_id": "0" * 16, "key": "queries", "media_type": "text/plain",
                    "bytes": 1, "chunks": len(texts), "by": "bench"}
        out.write(json.dumps(document) + "\n")
        for n, text in enumerate(texts):
            chunk = {"type": "chunk", "v": 1, "uid": f"{'0' * 16}:{n}", "doc_id": "0" * 16, "section": "", "role": "other",
                     "spans": [], "text": text, "sha1": f"{n:040x}", "modality": "text"}
            out.write(json.dumps(chunk) + "\n")


def sampled(work, size):
    """A seeded sample of the chunks as records, and their texts."""
    chunks = [json.loads(line) for line in open(work / "chunks.jsonl")]
    texts = [record["text"] for record in chunks if record["type"] == "chunk"]
    texts = random.Random(SEED).sample(texts, size)
    as_chunks(texts, work / "sample.jsonl")
    (work / "sample.json").write_text(json.dumps(texts))
    return pathlib.Path(work / "sample.jsonl")
