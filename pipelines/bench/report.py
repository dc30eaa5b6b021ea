"""docs/PERFORMANCE.md and its plot, from the figures of the parts there are."""

import math


def ratio(over, under):
    return over / under if over and under else None


def number(value, digits=3):
    """A figure as one reads it: three digits that count."""
    if value is None:
        return "n/a"
    if isinstance(value, str):
        return value
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}"


def bytes_as(value):
    return "n/a" if value is None else f"{number(value / 1e6)} MB"


class Parts:
    """Figures by path, absent ones as None."""

    def __init__(self, parts):
        self.parts = parts

    def get(self, *path):
        value = self.parts
        for step in path:
            if not isinstance(value, dict) or step not in value:
                return None
            value = value[step]
        return value


def goals(at):
    """(what, figure, goal, reached or None, basis) of each ratio of the design that these parts measure."""
    first = at.get("embed", "ours_first", "chunks_s")
    reference = at.get("embed", "sentence_transformers", "chunks_s")
    okapi, lucene = at.get("lexical", "ours", "okapi_ms"), at.get("lexical", "ours", "lucene_ms")
    largest = next((row for row in (at.get("growth", "rows") or []) if row["vectors"] == 1_000_000), None)
    bandwidth = ratio(largest["scan_min_ms"], largest["read_min_ms"]) if largest else None
    cold, python = at.get("cold", "ours_hybrid", "wall_s"), at.get("cold", "python", "wall_s")
    same = at.get("lexical", "identical")
    rows = [
        ("embedding against sentence-transformers, same weights and windows", ratio(first, reference), "≥ 1.25×", 1.25, True),
        ("embedding in int8 against it", ratio(at.get("embed", "int8", "chunks_s"), reference), "≥ 2×", 2, True),
        ("least cosine to it, in fp32", at.get("embed", "cosine_min"), "≥ 0.9999", 0.9999, True),
        ("lexical query against rank_bm25, both Okapi", ratio(at.get("lexical", "rank_bm25", "ms"), okapi), "≥ 300×", 300, True),
        ("lexical query against bm25s, both Lucene's formula", ratio(at.get("lexical", "bm25s", "ms"), lucene), "≥ 3×", 3, True),
        ("ranking as rank_bm25's", ratio(same["same"], same["queries"]) if same else None, "all queries", 1, True),
        ("dense query, 31,000 vectors, ms", at.get("dense", "ours", "ms_2"), "≤ 1", 1, False),
        ("dense query, 1,000,000 vectors, against reading the same bytes", bandwidth, "≤ 1.5×", 1.5, False),
        ("cold retrieve, s", cold, "≤ 0.35", 0.35, False),
        ("cold retrieve against the Python process", ratio(python, cold), "≥ 10×", 10, True),
        ("its peak memory, MB", at.get("cold", "ours_hybrid", "peak_mb"), "≤ 400", 400, False),
        ("200 queries streamed, against the Python loop", ratio(at.get("stream", "ours_hybrid", "queries_s"), at.get("stream", "python", "queries_s")), "≥ 2×", 2, True),
    ]
    for what, figure, goal, bound, at_least in rows:
        reached = None if figure is None else (figure >= bound if at_least else figure <= bound)
        yield what, number(figure, 5 if 0.99 < (figure or 0) < 1 else 3), goal, {None: "n/a", True: "yes", False: "**no**"}[reached]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def embedding(at):
    rows = []
    for name, label in (
        ("ours_first", "techrag-embed, first window (what sentence-transformers reads)"),
        ("ours_all", "techrag-embed, all windows (the default)"),
        ("int8", "techrag-embed, first window, all-MiniLM-L6-v2-int8"),
        ("static", "techrag-embed, static encoder potion-base-8M, all 31,000 chunks"),
        ("sentence_transformers", "sentence-transformers, batch 32, its loading left out"),
    ):
        row = at.get("embed", name)
        if row:
            rows.append((label, number(row["chunks_s"]), number(row["cpu_s"]), number(row["peak_mb"])))
    return table(("encoder, 2 cores", "chunks/s", "CPU s", "peak MB"), rows)


def indexing(at):
    rows = []
    labels = {
        "ours": "techrag-index add: catalog, vectors, words, all of it durable", "rank_bm25": "rank_bm25, words only, pickled",
        "bm25s": "bm25s, words only", "tantivy": "tantivy, words only", "faiss": "faiss IndexFlatIP, vectors only",
    }
    for name, label in labels.items():
        row = at.get("index", name)
        if row:
            took = row.get("index_s", row["wall_s"])
            disk = bytes_as(row["bytes"]) + (f", {bytes_as(row['segments'])} of it segments" if "segments" in row else "")
            rows.append((label, number(took), number(row["cpu_s"]), number(row["peak_mb"]), disk))
    text = table(("index of 31,000 chunks", "s", "CPU s", "peak MB", "on disk"), rows)
    said = at.get("index", "hnsw", "said")
    if said:
        text += f"\n`techrag-index hnsw` on the same library, by choice: {number(at.get('index', 'hnsw', 'wall_s'))} s; " + "; ".join(" ".join(line.split()) for line in said) + ".\n"
    return text


def querying(at):
    rows = [
        ("lexical, Okapi parity", number(at.get("lexical", "ours", "okapi_ms")), "techrag-index, 1 thread"),
        ("lexical, default weights and fields", number(at.get("lexical", "ours", "lucene_ms")), "techrag-index, 1 thread"),
    ]
    rows += [("lexical", number(at.get("lexical", engine, "ms")), engine) for engine in ("rank_bm25", "bm25s", "tantivy")]
    for threads in (1, 2):
        rows.append(("dense, exact", number(at.get("dense", "ours", f"ms_{threads}")), f"techrag-index, {threads} thread{'s' * (threads > 1)}"))
        rows.append(("dense, exact", number(at.get("dense", "faiss", f"ms_{threads}")), f"faiss IndexFlatIP, {threads} thread{'s' * (threads > 1)}"))
    return table(("one query of 200, top 10, in the engine", "median ms", "engine"), rows)


def processes(at):
    rows = []
    for name, label in (("ours_bm25", "techrag-retrieve --mode bm25"), ("ours_dense", "techrag-retrieve --mode dense"), ("ours_hybrid", "techrag-retrieve (hybrid)"), ("python", "Python: sentence-transformers, faiss, bm25s, RRF")):
        cold, stream = at.get("cold", name), at.get("stream", name)
        if cold or stream:
            cold, stream = cold or {}, stream or {}
            rows.append((label, number(cold.get("wall_s")), number(cold.get("cpu_s")), number(cold.get("peak_mb")), number(stream.get("queries_s"))))
    return table(("whole processes, no rerank", "cold query s", "CPU s", "peak MB", "200 queries, queries/s"), rows)


def growth(at):
    rows = []
    for row in at.get("growth", "rows") or []:
        walked = row.get("hnsw")
        near = " · ".join(f"{number(b['ms'])} ms, {b['recall']:.3f}" for b in walked["breadths"]) if walked else "not made"
        build = number(walked["build_s"]) if walked else ""
        rows.append((f"{row['vectors']:,}", number(row["add_s"]), number(row["open_ms"]), number(row["scan_ms"]), number(row["scan_min_ms"]), number(row["read_min_ms"]), bytes_as(row["bytes"]), build, near))
    return table(("vectors × 384", "add s", "open ms", "exact query, median ms", "least ms", "reading the bytes, least ms", "on disk", "HNSW made, s", "HNSW query and recall@10 at breadth 64 · 128 · 256"), rows)


def hundred(at):
    rows = []
    for model, row in (at.get("hundred") or {}).items():
        if isinstance(row, dict) and "ingest" in row:
            total = row["ingest"]["wall_s"] + row["ask"]["wall_s"]
            rows.append((model, number(total), number(row["ingest"]["wall_s"]), number(row["ingest"]["cpu_s"]), number(row["ask"]["wall_s"]), f"{row['pages']:,}", f"{row['chunks']:,}"))
    return table(("encoder", "from nothing to the first cited answer, s", "of it ingest, s", "ingest CPU s", "the question, s", "pages", "chunks"), rows)


def taken(at):
    rows = []
    for part, figures in at.parts.items():
        measured = figures["measured"]
        rows.append((part, number(measured["seconds"]), f"{measured['load_before']:.1f}", f"{measured['load_after']:.1f}", "quick" if figures.get("quick") else "full"))
    return table(("part", "took s", "load before", "load after", "samples"), rows)


def write(parts, machine, docs, note=""):
    at = Parts(parts)
    note = f"{note}\n\n" if note else ""
    made = at.get("corpus") or {}
    text = f"""# Performance

Written by `make bench` (`pipelines/bench.sh`); do not edit. {machine['cores']} cores of {machine['cpu']}, {machine['memory_gib']} GiB. The load of the
machine while each part ran is at the end: where it was above {machine['cores']}, wall times are longer than they need be, and ratios and
CPU seconds say more. Times are the least of several runs unless they say median.

The corpus is {made.get('chunks', 0):,} chunks: {made.get('of_papers', 0):,} of the given papers and {made.get('of_collections', 0):,} of the given collections, cut by `techrag-chunk`, and
{made.get('made_up', 0):,} of documents made of the papers' paragraphs in new order, cut the same way. Vectors: a seeded sample is
embedded by both sides and timed; for the search parts every chunk has one vector, that of a sampled chunk with seeded noise
added, the same rows for every engine. Lexical engines get the same tokens, ours; the Python ones get them ready made
(making them takes {number(made.get('tokenise_s'))} s in our tokeniser on one core), ours makes them itself.

## What was to be reached

{table(("what", "figure", "goal", "reached"), goals(at))}
## Embedding ({at.get('embed', 'sample') or 'n/a'} chunks, process start to last byte)

{embedding(at)}
## Index

{indexing(at)}
## Query

{querying(at)}
{processes(at)}
A cold query is a process from its start to its last byte with the pages of its files in memory. Ours writes twenty hits
with their texts, provenance and scores; the Python process prints number, score and text.

## Growth

![time of a dense query against the number of vectors](performance.svg)

{growth(at)}
## A folder of 100 papers

{(at.get('hundred', 'distinct') or 'n/a')} papers, copied to 100 with changed bytes: `ingest.sh`, then one question through `ask.sh`.

{hundred(at)}
## When this was measured

{note}{taken(at)}"""
    (docs / "PERFORMANCE.md").write_text(text)
    (docs / "performance.svg").write_text(plot(at.get("growth", "rows") or []))


def plot(rows):
    """Dense query time against vectors, both axes logarithmic."""
    width, height, left, top = 640, 360, 70, 20
    right, bottom = width - 150, height - 50
    series = [
        ("exact scan", "#1f5fa8", [(row["vectors"], row["scan_min_ms"]) for row in rows]),
        ("reading the bytes", "#888888", [(row["vectors"], row["read_min_ms"]) for row in rows]),
        ("HNSW, breadth 128", "#b3541e", [(row["vectors"], row["hnsw"]["breadths"][1]["ms"]) for row in rows if "hnsw" in row]),
    ]
    points = [point for _, _, line in series for point in line if point[1] > 0]
    if not points:
        return '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>\n'
    spans = [(math.floor(math.log10(min(p[axis] for p in points))), math.ceil(math.log10(max(p[axis] for p in points)))) for axis in (0, 1)]
    across = lambda x: left + (math.log10(x) - spans[0][0]) / max(1, spans[0][1] - spans[0][0]) * (right - left)
    up = lambda y: bottom - (math.log10(y) - spans[1][0]) / max(1, spans[1][1] - spans[1][0]) * (bottom - top)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for power in range(spans[0][0], spans[0][1] + 1):
        x = across(10**power)
        out.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="#ddd"/><text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{10**power:,}</text>')
    for power in range(spans[1][0], spans[1][1] + 1):
        y = up(10.0**power)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/><text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    out.append(f'<text x="{(left + right) / 2}" y="{height - 8}" text-anchor="middle">vectors of 384 dimensions</text>')
    out.append(f'<text x="16" y="{(top + bottom) / 2}" text-anchor="middle" transform="rotate(-90 16 {(top + bottom) / 2})">ms a query</text>')
    labels = []
    for name, colour, line in series:
        line = [(across(x), up(y)) for x, y in line if y > 0]
        if line:
            out.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in line)}"/>')
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in line]
            labels.append((line[-1][1] + 4, line[-1][0] + 8, colour, name))
    # Names of lines that end side by side stand under each other.
    lowest = 0
    for y, x, colour, name in sorted(labels):
        lowest = max(y, lowest + 14)
        out.append(f'<text x="{x:.1f}" y="{lowest:.1f}" fill="{colour}">{name}</text>')
    return "\n".join(out) + "\n</svg>\n"
