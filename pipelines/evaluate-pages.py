#!/usr/bin/env python3
"""Does the embedded page encoder find the page? The section of that name in docs/VISUAL.md, from a folder of papers.

usage: evaluate-pages.py [--write docs/VISUAL.md] [--work DIR] PAPERS
       PAPERS holds PDFs. TECHRAG_MODELS is the folder of models. Needs numpy (python -m venv v && v/bin/pip install numpy)
       and cargo; what was read and encoded is kept in DIR and used again. About fifteen CPU minutes for 311 pages.
records: PDFs → pages (techrag-pdf's reader) → vectors and tokens (techrag-models) → figures, as Markdown on stdout;
         the same pages set anew as PDFs → library → techrag-visual search, whose tools are those of `make build` or
         TECHRAG_BIN

Two kinds of questions, judged by the papers themselves. Caption: the words of a caption without its label; the page it
stands on is right. Citing sentence: a sentence of running text that names one figure or table, on another page than
it, without the name; the page of the figure is right and the citing page takes no part. In both, all captions are taken
out of all pages, so that no method can find one by its own words; a third table has the citing sentences with captions
left in, as in a library. The judgements hold text of the papers, so they are
made anew each time and not kept in the project. The tool is asked over a library of its own: each paper set anew by this
script with the words of its pages, captions left out or in as in the table; there BM25 counts chunks, not pages. Intervals: bootstrap over papers, not questions, since those of one
paper share its words (2,000 resamples, seed 0).
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
LABEL = re.compile(r"^\s*(Figure|Fig\.?|FIGURE|Table|TABLE)\s*(\d+)\s*[.:—–-]\s*")
CITED = re.compile(r"\b(Figures?|Figs?\.|Tables?)\s*(\d+)")
NAMED = re.compile(r"[(\[]?\b(?:see |in |as shown in )?(?:Figures?|Figs?\.|Tables?)\s*\d+[a-z]?(?:\s*\([a-z]\))?[)\]]?")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
NOT_OF_THE_PAGE = {"Header", "Footer", "Marginal"}
SHORTEST_CAPTION, LONGEST_CAPTION = 30, 220
SHORTEST_SENTENCE, LONGEST_SENTENCE = 60, 260
# The lexical index's.
K1, B = 1.2, 0.75
RRF = 60
DEPTH = 10
RESAMPLES = 2000
BEGIN, END = "<!-- evaluate-pages: begin -->", "<!-- evaluate-pages: end -->"


def say(message):
    print(message, file=sys.stderr, flush=True)


# ----------------------------------------------------------------------------------------------------- pages, questions


def example(package, name):
    """The command of an example program of the workspace."""
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", package, "--example", name], cwd=ROOT, check=True)
    told = subprocess.run(["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, check=True, capture_output=True)
    return Path(json.loads(told.stdout)["target_directory"]) / "release" / "examples" / name


def read(papers, work):
    """The documents as the PDF reader gives them."""
    path = work / "papers.jsonl"
    if not path.exists():
        files = sorted(str(file) for file in papers.glob("*.pdf"))
        say(f"reading {len(files)} files")
        done = subprocess.run([example("techrag-pdf", "dump"), "--json", *files], check=True, capture_output=True, text=True)
        path.write_text(done.stdout, encoding="utf-8")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def lines_of(block):
    return [" ".join("".join(run["text"] for run in line["runs"]).split()) for line in block["lines"]]


def prose(block):
    """A block's lines as one text, words cut at the ends of lines put together."""
    return re.sub(r"(\w)- (?=[a-z])", r"\1", " ".join(lines_of(block)))


def pages_of(documents):
    """Pages with their words without captions, their captions and their running text."""
    pages = []
    for number, document in enumerate(documents):
        for page in document["pages"]:
            blocks = [block for block in page["blocks"] if block["kind"] not in NOT_OF_THE_PAGE]
            captions = [prose(block) for block in blocks if block["kind"] == "Caption"]
            kept = [line for block in blocks if block["kind"] != "Caption" for line in lines_of(block)]
            whole = [line for block in blocks for line in lines_of(block)]
            body = " ".join(prose(block) for block in blocks if block["kind"] == "Body")
            pages.append({"document": number, "words": " ".join(kept).split(), "whole": " ".join(whole).split(),
                          "captions": captions, "body": body})
    return pages


def kind_of(word):
    return "figure" if word.lower().startswith("fig") else "table"


def figures(pages):
    """(document, kind, number) → (page, caption without its label); the first that has the label."""
    found = {}
    for at, page in enumerate(pages):
        for caption in page["captions"]:
            if match := LABEL.match(caption):
                key = (page["document"], kind_of(match[1]), int(match[2]))
                found.setdefault(key, (at, caption[match.end():].strip()))
    return found


def caption_questions(found):
    return [{"query": text[:LONGEST_CAPTION], "right": page, "left_out": None}
            for page, text in found.values() if len(text) >= SHORTEST_CAPTION]


def citing_questions(pages, found):
    questions, seen = [], set()
    for at, page in enumerate(pages):
        for sentence in SENTENCE.split(page["body"]):
            cited = CITED.findall(sentence)
            if len(cited) != 1 or not SHORTEST_SENTENCE <= len(sentence) <= LONGEST_SENTENCE or sentence in seen:
                continue
            seen.add(sentence)
            right, _ = found.get((page["document"], kind_of(cited[0][0]), int(cited[0][1])), (None, None))
            if right is not None and right != at:
                text = " ".join(NAMED.sub(" ", sentence).split())
                questions.append({"query": text, "right": right, "left_out": at})
    return questions


# -------------------------------------------------------------------------------------------------------------- vectors


def encoded(name, texts, work):
    """Tokens, word vectors (128) and window vectors (384) of each text."""
    told, values = work / f"encoded-{name}.jsonl", work / f"encoded-{name}.f32"
    if not told.exists():
        say(f"encoding {len(texts)} texts: {name}")
        command = [example("techrag-models", "encode_pages"), os.environ["TECHRAG_MODELS"], str(values)]
        done = subprocess.run(command, input="".join(json.dumps(text) + "\n" for text in texts), check=True, capture_output=True, text=True)
        told.write_text(done.stdout, encoding="utf-8")
    flat, at, out = np.fromfile(values, "<f4"), 0, []
    for line in map(json.loads, told.read_text(encoding="utf-8").splitlines()):
        rows, windows = line["rows"] * 128, line["windows"] * 384
        out.append((line["tokens"], flat[at:at + rows].reshape(-1, 128), flat[at + rows:at + rows + windows].reshape(-1, 384)))
        at += rows + windows
    if len(out) != len(texts) or at != len(flat):
        sys.exit(f"{told} is of another run: remove it")
    return out


# -------------------------------------------------------------------------------------------------------------- methods


def bm25(pages, queries):
    """Scores [queries, pages] with the lexical index's tokens and formula (Lucene's idf)."""
    counts = [Counter(tokens) for tokens, _, _ in pages]
    lengths = np.array([sum(count.values()) for count in counts], float)
    within, postings = len(pages), defaultdict(list)
    for page, count in enumerate(counts):
        for token, times in count.items():
            postings[token].append((page, times))
    scores = np.zeros((len(queries), len(pages)))
    for row, (tokens, _, _) in enumerate(queries):
        for token in set(tokens):
            found = postings.get(token, [])
            idf = math.log(1 + (within - len(found) + 0.5) / (len(found) + 0.5))
            for page, times in found:
                scores[row, page] += idf * times * (K1 + 1) / (times + K1 * (1 - B + B * lengths[page] / lengths.mean()))
    return scores


def best(queries, pages, at):
    """Sum over a query's vectors of the best inner product among a page's: [queries, pages]."""
    stacked, starts = np.concatenate([query[at] for query in queries]), np.cumsum([0] + [len(query[at]) for query in queries])
    scores = np.full((len(queries), len(pages)), -np.inf)
    for column, page in enumerate(pages):
        if len(page[at]):
            scores[:, column] = np.add.reduceat((stacked @ page[at].T).max(axis=1), starts[:-1])
    return scores


def ranks(scores):
    """Rank of each page from 0, ties by the page's order."""
    order = np.argsort(-scores, axis=1, kind="stable")
    out = np.empty_like(order)
    np.put_along_axis(out, order, np.arange(scores.shape[1])[None, :].repeat(len(scores), 0), axis=1)
    return out


def rrf(*scores):
    return sum(1 / (RRF + 1 + ranks(one)) for one in scores)


def zscores(*scores):
    """Sum of z-scores over all pages."""
    total = 0
    for one in scores:
        finite = np.where(np.isfinite(one), one, np.nan)
        mean, spread = np.nanmean(finite, axis=1, keepdims=True), np.nanstd(finite, axis=1, keepdims=True)
        total = total + np.nan_to_num((finite - mean) / np.maximum(spread, 1e-9), nan=-10.0)
    return total


def int8(side):
    """Word vectors as the page store keeps them."""
    return [(tokens, np.round(np.clip(vectors * 127, -127, 127)) / 127, pooled) for tokens, vectors, pooled in side]


def methods(pages, queries):
    lexical, mean = bm25(pages, queries), best(queries, pages, 2)
    late = best(queries, int8(pages), 1)
    return {
        "BM25 on the page's words": lexical,
        "one vector a window (mean pooling)": mean,
        "late interaction, f32": best(queries, pages, 1),
        "late interaction, int8 (as stored)": late,
        "BM25 + mean pooling, z-scores": zscores(lexical, mean),
        "BM25 + late interaction, RRF": rrf(lexical, late),
        "BM25 + late interaction, z-scores": zscores(lexical, late),
        "all three, z-scores": zscores(lexical, mean, late),
    }


# ------------------------------------------------------------------------------------------------------------- the tool


def tool(name):
    for place in (os.environ.get("TECHRAG_BIN"), ROOT / "target/release"):
        if place and (Path(place) / name).is_file():
            return Path(place) / name
    sys.exit(f"{name} is not built: run make build, or set TECHRAG_BIN")


def pdf_of(texts):
    """A PDF of these pages: their words in lines of Helvetica; letters that WinAnsi lacks are left out."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"]
    kids = []
    for words in texts:
        text = " ".join(words).encode("cp1252", "ignore").decode("cp1252")
        lines = textwrap.wrap(text, 120) or [""]
        size = min(8, 780 / (1.2 * len(lines)))
        content = f"BT /F {size:.2f} Tf {1.2 * size:.2f} TL 30 {810 - size:.2f} Td\n".encode()
        for line in lines:
            content += b"(" + re.sub(rb"([\\()])", rb"\\\1", line.encode("cp1252")) + b") Tj T*\n"
        content += b"ET"
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        objects += [f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R /Resources << /Font << /F 3 0 R >> >> >>".encode(),
                    b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)]
    objects[1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{' '.join(kids)}] >>".encode()
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return bytes(out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))


def set_anew(pages, words, folder):
    """A library of the papers with only these words of their pages; (document, page) → column."""
    papers, library = folder / "papers", folder / "library"
    papers.mkdir(parents=True, exist_ok=True)
    at = {}
    for column, page in enumerate(pages):
        at.setdefault(page["document"], []).append(column)
    for document, columns in at.items():
        (papers / f"{document:03}.pdf").write_bytes(pdf_of([pages[column][words] for column in columns]))
    if not (library / "pages").exists():
        say(f"a library of the pages set anew: {folder.name}")
        subprocess.run([ROOT / "pipelines/ingest.sh", "--pages", papers, library], check=True, stdout=subprocess.DEVNULL)
    return library, {(f"{document:03}.pdf", number): column for document, columns in at.items() for number, column in enumerate(columns, 1)}


def searched(order, library, columns, queries, count):
    """Scores [queries, pages] of `techrag-visual search`: a page it does not give has none."""
    command = [tool("techrag-visual"), "search", "--library", library, "--order", order, "-k", str(DEPTH + 2)]
    lines = "".join(json.dumps({"question": query["query"]}) + "\n" for query in queries)
    done = subprocess.run(command, input=lines, check=True, capture_output=True, text=True)
    scores = np.full((len(queries), count), -np.inf)
    for row, record in enumerate(map(json.loads, done.stdout.splitlines())):
        for rank, hit in enumerate(record["visual"]):
            scores[row, columns[Path(hit["key"]).name, hit["page"]]] = -rank
    return scores


# -------------------------------------------------------------------------------------------------------------- figures


def reciprocal(scores, questions):
    """1/rank of the right page where it is among the first ten, else 0; and that rank."""
    scores = scores.copy()
    for row, question in enumerate(questions):
        if question["left_out"] is not None:
            scores[row, question["left_out"]] = -np.inf
    right = np.arange(len(questions)), [question["right"] for question in questions]
    rank = np.where(np.isfinite(scores[right]), ranks(scores)[right], scores.shape[1])
    return np.where(rank < DEPTH, 1 / (rank + 1), 0), rank


def interval(values, groups):
    """The middle 95 % of the mean over resampled groups."""
    names = sorted(set(groups))
    sums = np.array([values[groups == name].sum() for name in names])
    sizes = np.array([(groups == name).sum() for name in names])
    drawn = np.random.default_rng(0).integers(0, len(names), (RESAMPLES, len(names)))
    return np.percentile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [2.5, 97.5])


def table(title, pages, page_side, query_side, questions, library, columns):
    groups = np.array([pages[question["right"]]["document"] for question in questions])
    results = {name: reciprocal(scores, questions) for name, scores in methods(page_side, query_side).items()}
    for order in ("maxsim", "with-text"):
        scores = searched(order, library, columns, questions, len(pages))
        results[f"`techrag-visual search --order {order}`"] = reciprocal(scores, questions)
    baseline, _ = results["BM25 on the page's words"]
    lines = [f"**{title}** ({len(questions)} questions over {len(set(groups))} papers, {len(pages)} pages)", "",
             "| | MRR@10 | first | in ten | against BM25 |", "|---|---|---|---|---|"]
    for name, (value, rank) in results.items():
        low, high = interval(value, groups)
        more = value - baseline
        less, upto = interval(more, groups)
        against = "–" if name.startswith("BM25 on") else f"{more.mean():+.3f} [{less:+.3f}, {upto:+.3f}]"
        lines.append(f"| {name} | {value.mean():.3f} [{low:.3f}, {high:.3f}] | {(rank < 1).mean():.3f} | {(rank < DEPTH).mean():.3f} | {against} |")
    return "\n".join(lines)


def write(path, text):
    """Puts the tables between the marks of a file."""
    old = path.read_text(encoding="utf-8")
    before, rest = old.split(BEGIN)
    _, after = rest.split(END)
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", type=Path)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the marks of this file too")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep what was read and encoded there")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = args.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        pages = pages_of(read(args.papers, work))
        found = figures(pages)
        captions, citing = caption_questions(found), citing_questions(pages, found)
        without = encoded("pages", [{"id": at, "words": page["words"]} for at, page in enumerate(pages)], work)
        whole = encoded("pages-whole", [{"id": at, "words": page["whole"]} for at, page in enumerate(pages)], work)
        asked = [encoded(f"questions-{at}", [{"id": row, "query": one["query"]} for row, one in enumerate(questions)], work)
                 for at, questions in enumerate((captions, citing))]
        bare, full = set_anew(pages, "words", work / "without"), set_anew(pages, "whole", work / "whole")
        tables = [
            table("Caption → its page", pages, without, asked[0], captions, *bare),
            table("Citing sentence → the page of the figure", pages, without, asked[1], citing, *bare),
            table("The same, captions left in the pages", pages, whole, asked[1], citing, *full),
        ]
        text = "\n\n".join(tables)
    print(text)
    if args.write:
        write(args.write, text)


if __name__ == "__main__":
    main()
