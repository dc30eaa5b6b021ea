#!/usr/bin/env bash
# The table of docs/RETRIEVAL.md: every mode and fusion on the given collections and on the fixture questions.
# usage: retrieval.sh DATA [WORK]
#        DATA holds cranfield/, cisi/ and hotpotqa_sample/, each with corpus.jsonl, queries.jsonl, qrels.tsv;
#        libraries are kept in WORK and used again, without it they are made in a temporary folder
# records: corpus → library (chunk, embed, index add); questions → hits → figures, as Markdown on stdout
set -uo pipefail

fail() { echo "retrieval: $*" >&2; exit 2; }
[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: $(basename "$0") DATA [WORK]"
data=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
[ -x "$TECHRAG_BIN/techrag-eval" ] || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"
export PATH=$TECHRAG_BIN:$PATH
if [ $# -eq 2 ]; then work=$2; mkdir -p "$work" || exit 2; else work=$(mktemp -d) || exit 2; trap 'rm -rf "$work"' EXIT; fi

rows=(
  "BM25, Lucene|--mode bm25"
  "BM25, Lucene, text alone|--mode bm25 --title-weight 0 --section-weight 0"
  "BM25, Okapi|--mode bm25 --bm25 okapi"
  "dense|--mode dense"
  "hybrid, RRF (k = 60)|--fusion rrf"
  "hybrid, convex (½)|--fusion convex"
  "hybrid, z-score, dense ½|--fusion zscore --dense-weight 0.5"
  "**hybrid, z-score (default)**|"
  "hybrid, z-score, dense 1½|--fusion zscore --dense-weight 1.5"
  "default and keyword boost 1|--keyword-boost 1"
)

# library NAME COMMAND: the library of what the command prints, made unless it is there.
library() {
  [ -d "$work/$1.lib" ] && return
  rm -rf "$work/$1.new"
  bash -o pipefail -c "$2 | techrag-embed" >"$work/$1.records" || fail "$1 cannot be embedded"
  techrag-index add --library "$work/$1.new" <"$work/$1.records" >/dev/null || fail "$1 cannot be indexed"
  rm "$work/$1.records" && mv "$work/$1.new" "$work/$1.lib"
}

# figures NAME QUERIES QRELS HEADING KEYS: a table.
figures() {
  local name=$1 queries=$2 qrels=$3 row
  shift 3
  printf '\n### %s\n\n' "$1"
  for row in "${rows[@]}"; do
    # shellcheck disable=SC2086 # the flags of a row are words
    techrag-retrieve --library "$work/$name.lib" -k 100 --rerank off ${row#*|} <"$queries" |
      techrag-eval metrics --qrels "$qrels" --json >"$work/figures" || fail "$name cannot be measured: ${row%|*}"
    printf '%s\t%s\n' "${row%|*}" "$(cat "$work/figures")"
  done | python3 -c '
import json, sys
keys = sys.argv[1:]
names = {"ndcg@10": "nDCG@10", "r@100": "R@100", "mrr": "MRR", "passage_mrr": "MRR of passages", "passage_r@5": "R@5 of passages", "passage_r@10": "R@10 of passages"}
print("| | " + " | ".join(names[key] for key in keys) + " |\n|---|" + "---|" * len(keys))
for line in sys.stdin:
    row, figures = line.split("\t")
    figures = json.loads(figures)
    cell = lambda key: "{:.3f} [{:.3f}, {:.3f}]".format(figures[key], *figures["interval"][key])
    print(f"| {row} | " + " | ".join(map(cell, keys)) + " |")' "${@:2}"
}

for name in cranfield cisi hotpotqa_sample; do
  [ -e "$data/$name/corpus.jsonl" ] || fail "$data/$name/corpus.jsonl is missing"
  library "$name" "techrag-chunk --from jsonl '$data/$name/corpus.jsonl'"
  figures "$name" "$data/$name/queries.jsonl" "$data/$name/qrels.tsv" "$name" ndcg@10 r@100 mrr
done
library fixtures "techrag-chunk '$root/fixtures/papers' --root '$root/fixtures/papers'"
figures fixtures "$root/fixtures/questions/questions.jsonl" "$root/fixtures/questions/qrels.jsonl" \
  "fixture questions (both halves, by passage)" passage_mrr passage_r@5 passage_r@10
