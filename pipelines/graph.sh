#!/usr/bin/env bash
# The tables of docs/GRAPH.md: retrieval with and without expansion, on the fixture questions, the questions on the real
# papers and the HotpotQA sample (graph from proper names that co-occur).
# usage: graph.sh DATA WORK [PAPERS]
#        DATA holds hotpotqa_sample/ with corpus.jsonl, queries.jsonl, qrels.tsv; PAPERS is the folder of the real papers;
#        what is not there is left out and said so. Libraries are kept in WORK and used again
# records: corpus → library and graph; questions → hits → hits and what expansion adds → figures, as Markdown on stdout
set -uo pipefail

fail() { echo "graph: $*" >&2; exit 2; }
[ $# -ge 2 ] || fail "usage: $(basename "$0") DATA WORK [PAPERS]"
data=$1 work=$2 papers=${3:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
[ -x "$TECHRAG_BIN/techrag-graph" ] || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"
export PATH=$TECHRAG_BIN:$PATH
mkdir -p "$work" || exit 2

# library NAME EXTRACT-FLAGS CHUNK-ARGUMENTS…: a library with its graph, the parts that are missing made.
library() {
  local name=$1 flags=$2
  shift 2
  if [ ! -f "$work/$name.records" ]; then
    techrag-chunk "$@" >"$work/$name.new" || [ $? -eq 3 ] || fail "$name cannot be chunked"
    mv "$work/$name.new" "$work/$name.records"
  fi
  [ -d "$work/$name" ] || techrag-embed <"$work/$name.records" | techrag-index add --library "$work/$name" >/dev/null ||
    fail "$name cannot be indexed"
  # shellcheck disable=SC2086 # flags are words
  techrag-graph extract $flags <"$work/$name.records" |
    techrag-graph load --in-library --library "$work/$name" >/dev/null || fail "$name has no graph"
  techrag-graph resolve --library "$work/$name" || fail "$name: citations"
  techrag-graph alias propose --library "$work/$name" | techrag-graph alias apply --library "$work/$name" || fail "$name: aliases"
}

# table NAME QUESTIONS QRELS HEADING: with and without, side by side, from few hits and from many.
table() {
  local name=$1 questions=$2 qrels=$3 setting k
  printf '\n### %s\n\n| hits | chunks brought from | nDCG@10 | R@10 | R@20 | R@10 of passages | questions it changed | chunks it brought |\n|---|---|---|---|---|---|---|---|\n' "$4"
  for k in 5 20; do
    techrag-retrieve --library "$work/$name" -k "$k" --rerank off <"$questions" >"$work/$name.$k.off" || fail "$name: retrieval"
    for setting in off 0.5 0.1; do
      if [ "$setting" != off ]; then
        techrag-graph expand --bring --library "$work/$name" --least-relevance "$setting" <"$work/$name.$k.off" \
          >"$work/$name.$k.$setting" || fail "$name: expansion"
      fi
      techrag-eval metrics --cutoffs 10,20 --qrels "$qrels" --json <"$work/$name.$k.$setting" >"$work/$name.figures" ||
        fail "$name: figures"
      python3 - "$k" "$setting" "$work/$name.figures" "$work/$name.$k.$setting" <<'PY'
import json, sys
k, setting, figures, after = *sys.argv[1:3], json.load(open(sys.argv[3])), [json.loads(line) for line in open(sys.argv[4])]
brought = [sum(hit["origin"] == "GRAPH" for hit in query.get("hits", [])) for query in after]
cell = lambda key: "{:.4f} [{:.4f}, {:.4f}]".format(figures[key], *figures["interval"][key]) if key in figures else "n/a"
name = "none" if setting == "off" else f"relevance {setting}"
print(f"| {k} | {name} | {cell('ndcg@10')} | {cell('r@10')} | {cell('r@20')} | {cell('passage_r@10')} | {sum(map(bool, brought))} of {len(after)} | {sum(brought)} |")
PY
    done
  done
  for k in 5 20; do
    for setting in 0.5 0.1; do
      printf '\nFrom %s hits, none (a) against relevance %s (b):\n\n```\n' "$k" "$setting"
      techrag-eval compare --cutoffs 10,20 "$work/$name.$k.off" "$work/$name.$k.$setting" --qrels "$qrels" 2>&1 |
        grep -E '^ +a |^(ndcg@10|r@10|r@20|passage_r@10) '
      printf '```\n'
    done
  done
}

library fixtures "" "$root/fixtures/papers"
table fixtures "$root/fixtures/questions/questions.jsonl" "$root/fixtures/questions/qrels.jsonl" "Fixture questions"
if [ -n "$papers" ] && [ -d "$papers" ]; then
  library real "" "$papers"/*.pdf --root "$papers"
  table real "$root/fixtures/questions-real/questions.jsonl" "$root/fixtures/questions-real/qrels.jsonl" "Questions on the real papers"
else
  printf '\nQuestions on the real papers: n/a, the papers are not here.\n'
fi
if [ -d "$data/hotpotqa_sample" ]; then
  library hotpot "--names --topics 30" --from jsonl "$data/hotpotqa_sample/corpus.jsonl"
  table hotpot "$data/hotpotqa_sample/queries.jsonl" "$data/hotpotqa_sample/qrels.tsv" "HotpotQA sample"
else
  printf '\nHotpotQA sample: n/a, it is not here.\n'
fi
