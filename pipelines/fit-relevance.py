#!/usr/bin/env python3
"""Fits the calibration of relevance (crates/techrag-core/src/calibration/relevance.json). Standard library only.

usage: fit-relevance.py [--write WEIGHTS] [--plot SVG] NAME=HITS:QRELS...
       HITS are query records of techrag-retrieve -k 100, QRELS TREC judgements; every collection weighs the same
records: query records → (techrag-score, for the features) → weights as JSON, a Markdown table on stdout

Each judged query is read twice: with all its hits, and with its relevant documents left out, so that the fit sees good
looking lists that hold nothing. A quarter of the queries, by a hash of their names, is kept out of the fit and is what
the table reports. Logistic regression by Newton steps with a small ridge; the same input gives the same bytes.
"""

import argparse
import json
import math

import judged

FEATURES = ["cosine", "bm25", "coverage", "sentence"]
RIDGE = 1e-3
STEPS = 30


def rows(name, hits, qrels):
    """(query, held out, features, relevant) of every hit in both readings."""
    relevant = judged.relevant(qrels)
    records = [record for record in judged.records(hits) if record["_id"] in relevant]
    given = [judged.prepared(record) for record in records]
    given += [judged.prepared(record, relevant[record["_id"]]) for record in records]
    for record in judged.tool(["techrag-score"], given):
        query = record["_id"]
        for hit in record["hits"]:
            values = [hit["scores"]["features"].get(feature) for feature in FEATURES]
            yield judged.held_out(name, query), values, float(bool(relevant[query] & {hit["key"], *hit.get("also", [])}))


def moments(values):
    known = [value for value in values if value is not None]
    mean = sum(known) / len(known)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in known) / len(known))


def solve(matrix, right):
    """Gaussian elimination with partial pivots."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for at in range(n):
        pivot = max(range(at, n), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for row in range(at + 1, n):
            factor = rows[row][at] / rows[at][at]
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[at])]
    out = [0.0] * n
    for at in reversed(range(n)):
        out[at] = (rows[at][n] - sum(rows[at][k] * out[k] for k in range(at + 1, n))) / rows[at][at]
    return out


def fit(samples):
    """Weights, the intercept first, of (weight, standardised features, label)."""
    size = len(samples[0][1]) + 1
    total = sum(weight for weight, _, _ in samples)
    beta = [0.0] * size
    for _ in range(STEPS):
        gradient = [RIDGE * b for b in beta]
        hessian = [[RIDGE * (i == j) for j in range(size)] for i in range(size)]
        gradient[0] = hessian[0][0] = 0.0
        for weight, x, label in samples:
            x = [1.0, *x]
            p = 1 / (1 + math.exp(-sum(b * value for b, value in zip(beta, x))))
            error, curve = weight / total * (p - label), weight / total * p * (1 - p)
            for i in range(size):
                gradient[i] += error * x[i]
                for j in range(size):
                    hessian[i][j] += curve * x[i] * x[j]
        beta = [b - step for b, step in zip(beta, solve(hessian, gradient))]
    return beta


def plot(pairs, path):
    """A reliability diagram: said against seen, the area of a dot by the number of hits."""
    dots = []
    for said, seen, size in judged.bins(pairs):
        radius = max(2.0, 1.1 * size ** 0.5 / 2)
        dots.append(f'<circle cx="{50 + 300 * said:.1f}" cy="{330 - 300 * seen:.1f}" r="{min(radius, 14):.1f}"/>'
                    f'<text x="{50 + 300 * said:.1f}" y="{310 - 300 * seen:.1f}" class="n">{size}</text>')
    ticks = "".join(f'<text x="{50 + 300 * t / 5:.0f}" y="348">{t / 5:.1f}</text>'
                    f'<text x="34" y="{334 - 300 * t / 5:.0f}">{t / 5:.1f}</text>' for t in range(6))
    with open(path, "w", encoding="utf-8") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 380 380" font-family="sans-serif" font-size="11">'
                  '<style>text{text-anchor:middle;fill:#333}.n{font-size:9px}circle{fill:#2a6f97;fill-opacity:.8}</style>'
                  '<rect width="380" height="380" fill="#fff"/>'
                  '<path d="M50 30V330H350M50 330L350 30" fill="none" stroke="#999"/>' + ticks + "".join(dots) +
                  '<text x="200" y="368">relevance said</text>'
                  '<text x="14" y="180" transform="rotate(-90 14 180)">share relevant, queries held out</text></svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", help="file of the weights")
    parser.add_argument("--plot", help="reliability diagram, SVG")
    parser.add_argument("collections", nargs="+", metavar="NAME=HITS:QRELS")
    args = parser.parse_args()
    data = {}
    for collection in args.collections:
        name, paths = collection.split("=", 1)
        data[name] = list(rows(name, *paths.split(":", 1)))
    train = [(1 / len(found), values, label) for found in data.values() for held, values, label in found if not held]
    scale = [moments([values[at] for _, values, _ in train]) for at in range(len(FEATURES))]
    standard = lambda values: [0.0 if v is None else (v - m) / s for v, (m, s) in zip(values, scale)]
    beta = fit([(weight, standard(values), label) for weight, values, label in train])
    relevance = lambda values: 1 / (1 + math.exp(-beta[0] - sum(b * x for b, x in zip(beta[1:], standard(values)))))
    weights = {
        "version": "relevance/1",
        "fitted": {
            "by": "pipelines/fit-relevance.py",
            "on": {name: {"hits": sum(not held for held, _, _ in found), "held_out": sum(held for held, _, _ in found)}
                   for name, found in data.items()},
            "rule": "a query is held out where the first byte of sha256(collection:query) is divisible by 4",
        },
        "intercept": round(beta[0], 5),
        "features": [{"name": name, "mean": round(m, 5), "scale": round(s, 5), "weight": round(b, 5)}
                     for name, (m, s), b in zip(FEATURES, scale, beta[1:])],
        "cross_encoder": {"slope": 1.0, "intercept": 0.0},
    }
    if args.write:
        with open(args.write, "w", encoding="utf-8") as out:
            out.write(json.dumps(weights, indent=2) + "\n")
    pairs = {name: {held: [(relevance(values), label) for side, values, label in found if side == held]
                    for held in (True, False)} for name, found in data.items()}
    everything = [pair for sides in pairs.values() for pair in sides[True]]
    print("| collection | hits, held out | relevant | AUC | ECE | AUC, ECE where fitted |\n|---|---:|---:|---:|---:|---|")
    for name, sides in [*pairs.items(), ("all", {True: everything, False: [p for s in pairs.values() for p in s[False]]})]:
        area = {held: judged.auc([p for p, y in side if y], [p for p, y in side if not y]) for held, side in sides.items()}
        share = sum(label for _, label in sides[True]) / len(sides[True])
        print(f"| {name} | {len(sides[True])} | {share:.3f} | {area[True]:.3f} | {judged.ece(sides[True]):.3f} "
              f"| {area[False]:.3f}, {judged.ece(sides[False]):.3f} |")
    print("\n| feature | mean | deviation | log odds a deviation |\n|---|---:|---:|---:|")
    for weight in weights["features"]:
        print(f"| `{weight['name']}` | {weight['mean']:.3f} | {weight['scale']:.3f} | {weight['weight']:+.3f} |")
    if args.plot:
        plot(everything, args.plot)


if __name__ == "__main__":
    main()
