#!/usr/bin/env bash
# The tables of docs/RETRIEVAL.md: every mode, fusion, option and encoder on the given collections, on the fixture
# questions, and on the questions about real papers where those lie beside the project.
# usage: retrieval.sh DATA [WORK [--kept] [--papers]]
#        DATA holds cranfield/, cisi/ and hotpotqa_sample/, each with corpus.jsonl, queries.jsonl, qrels.tsv, and next to
#        it papers/ with the PDFs that fixtures/questions-real asks about (left out where it is absent);
#        libraries are kept in WORK and used again, without it they are made in a temporary folder;
#        --kept makes none: a row whose library is not in WORK says "not measured";
#        --papers leaves the collections out: how PDFs are read changes nothing about them
# records: corpus → library (chunk, embed, index add); questions → hits → figures, as Markdown on stdout. A row whose
#        weights are absent says n/a. The last column is the difference from the default, question by question, with the
#        bootstrap interval of the mean difference: an interval that holds 0 shows nothing.
set -uo pipefail

fail() { echo "retrieval: $*" >&2; exit 2; }
usage="usage: $(basename "$0") DATA [WORK [--kept] [--papers]]"
[ $# -ge 1 ] || fail "$usage"
data=$1 kept='' collections=(cranfield cisi hotpotqa_sample)
for flag in "${@:3}"; do
  case $flag in
    --kept) kept=1 ;;
    --papers) collections=() ;;
    *) fail "$usage" ;;
  esac
done
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
[ -x "$TECHRAG_BIN/techrag-eval" ] || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"
export PATH=$TECHRAG_BIN:$PATH TECHRAG_MODELS=${TECHRAG_MODELS:-$root/.models}
if [ $# -ge 2 ]; then work=$2; mkdir -p "$work" || exit 2; else work=$(mktemp -d) || exit 2; trap 'rm -rf "$work"' EXIT; fi

default=all-MiniLM-L6-v2
cross=ms-marco-MiniLM-L-6-v2
# Stored beside the default encoder's vectors, where its weights are there.
sparse=splade-tiny
# What stands in the table: name|encoder|context|windows|flags of techrag-retrieve. Without an encoder: the default's library.
modes=(
  "BM25, Lucene|$default|none|all|--mode bm25"
  "BM25, Lucene, text alone|$default|none|all|--mode bm25 --title-weight 0 --section-weight 0"
  "BM25, Okapi|$default|none|all|--mode bm25 --bm25 okapi"
  "dense|$default|none|all|--mode dense"
  "hybrid, RRF (k = 60)|$default|none|all|--fusion rrf"
  "hybrid, convex (½)|$default|none|all|--fusion convex"
  "hybrid, z-score, dense ½|$default|none|all|--dense-weight 0.5"
  "**hybrid, z-score (default)**|$default|none|all|"
  "hybrid, z-score, dense 1½|$default|none|all|--dense-weight 1.5"
  "default, title and heading × 3|$default|none|all|--title-weight 3 --section-weight 3"
  "default, keyword boost 1|$default|none|all|--keyword-boost 1"
  "default, phrase boost 1|$default|none|all|--phrase-boost 1"
  "default, at most 3 of a document first|$default|none|all|--per-paper 3"
  "default, maximal marginal relevance, share 0.7|$default|none|all|--mmr 0.7"
  "$sparse alone|$default|none|all|--mode sparse"
  "default and $sparse, weight ½|$default|none|all|--sparse-weight 0.5"
  "default and $sparse, weight 1|$default|none|all|--sparse-weight 1"
  "default, cross-encoder over the best 30|$default|none|all|--rerank $cross"
)
encoders=(
  "$default, dense|$default|none|all|--mode dense"
  "$default, hybrid (default)|$default|none|all|"
)
for model in all-MiniLM-L6-v2-int8 bge-small-en-v1.5-int8 e5-small-v2-int8 potion-base-8M; do
  encoders+=("$model, dense|$model|none|all|--mode dense" "$model, hybrid|$model|none|all|")
done
# A chunk of these collections is a whole abstract under its title, no section: with --context heading it has the same
# vector. And only papers have chunks longer than a window. Late interaction reads ten passages a question anew.
papers=(
  "$default under title and heading, dense|$default|heading|all|--mode dense"
  "$default under title and heading, hybrid|$default|heading|all|"
  "$default, beginnings only, dense|$default|none|first|--mode dense"
  "$default, beginnings only, hybrid|$default|none|first|"
  "default, late interaction ½ over the best 10|$default|none|all|--late-weight 0.5 --rerank-depth 10"
)
for model in all-MiniLM-L6-v2-int8 bge-small-en-v1.5-int8 e5-small-v2-int8 potion-base-8M; do
  papers+=("$model under title and heading, dense|$model|heading|all|--mode dense" "$model under title and heading, hybrid|$model|heading|all|")
done
papers+=(
  "bge-small-en-v1.5-int8, beginnings only, dense|bge-small-en-v1.5-int8|none|first|--mode dense"
  "bge-small-en-v1.5-int8, beginnings only, hybrid|bge-small-en-v1.5-int8|none|first|"
)

has() { [ -n "$(find -L "$TECHRAG_MODELS/$1" -name 'model.*' -print -quit 2>/dev/null)" ]; }

chunks() { # NAME: its chunks on stdout
  case $1 in
    fixtures) techrag-chunk "$root/fixtures/papers" --root "$root/fixtures/papers" ;;
    real) techrag-chunk "$data/../papers/"*.pdf --root "$data/../papers" ;;
    *) techrag-chunk --from jsonl "$data/$1/corpus.jsonl" ;;
  esac
}

library() { # NAME MODEL CONTEXT WINDOWS: makes the library unless it is there
  local name=$1.$2.$3.$4
  [ -d "$work/$name.lib" ] && return
  rm -rf "$work/$name.new"
  local also=()
  if [ "$2.$3.$4" = "$default.none.all" ] && has "$sparse"; then also=(--sparse "$sparse"); fi
  chunks "$1" | techrag-embed --model "$2" --context "$3" --windows "$4" "${also[@]}" >"$work/$name.records" || fail "$name cannot be embedded"
  techrag-index add --library "$work/$name.new" <"$work/$name.records" >/dev/null || fail "$name cannot be indexed"
  rm "$work/$name.records" && mv "$work/$name.new" "$work/$name.lib"
}

absent() { # MODEL FLAGS: whether weights that a row needs are not there
  ! has "$1" && return
  [[ $2 == *"$cross"* ]] && ! has "$cross" && return
  [[ $2 == *sparse* ]] && ! has "$sparse"
}

row() { # NAME QUERIES QRELS ROW: the row's name, its figures, and how it differs from the default; or why there are none
  local label model context windows flags
  IFS='|' read -r label model context windows flags <<<"$4"
  if absent "$model" "$flags"; then
    printf '%s\tn/a\n' "$label"
    return
  fi
  if [ -n "$kept" ] && [ ! -d "$work/$1.$model.$context.$windows.lib" ]; then
    printf '%s\tnot measured\n' "$label"
    return
  fi
  library "$1" "$model" "$context" "$windows"
  [[ $flags == *--rerank\ * ]] || flags+=" --rerank off"
  # shellcheck disable=SC2086 # the flags of a row are words
  techrag-retrieve --library "$work/$1.$model.$context.$windows.lib" -k 100 $flags <"$2" >"$work/hits" &&
    techrag-eval metrics --qrels "$3" --json <"$work/hits" >"$work/figures" &&
    techrag-eval compare --qrels "$3" --json "$work/$1.default" "$work/hits" >"$work/differences" || fail "$1 cannot be measured: $label"
  printf '%s\t%s\t%s\n' "$label" "$(cat "$work/figures")" "$(cat "$work/differences")"
}

base() { # NAME QUERIES: the hits of the default, that every row is compared with
  local name=$1.$default.none.all
  [ -z "$kept" ] || [ -d "$work/$name.lib" ] || fail "$work/$name.lib is missing: the rows of $1 are compared with it"
  library "$1" "$default" none all
  techrag-retrieve --library "$work/$name.lib" -k 100 --rerank off <"$2" >"$work/$1.default" || fail "$1 cannot be measured"
}

table() { # HEADING KEYS: rows on stdin
  printf '\n### %s\n\n' "$1"
  python3 -c '
import json, sys
keys = sys.argv[1:]
names = {"ndcg@10": "nDCG@10", "r@100": "R@100", "mrr": "MRR", "passage_mrr": "MRR of passages", "passage_r@5": "R@5 of passages", "passage_r@10": "R@10 of passages"}
main = "ndcg@10" if "ndcg@10" in keys else "passage_r@5"
heads = [*(names[key] for key in keys), names[main] + " less the default"]
print("| | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
interval = lambda mean, bounds, form: form.format(mean, *bounds)
for line in sys.stdin:
    row, figures, *difference = line.rstrip("\n").split("\t")
    if not difference:
        print(f"| {row} |" + f" {figures} |" * len(heads))
        continue
    figures, difference = json.loads(figures), json.loads(difference[0])[main]
    cells = [interval(figures[key], figures["interval"][key], "{:.3f} [{:.3f}, {:.3f}]") for key in keys]
    cells.append(interval(difference["difference"], difference["interval"], "{:+.3f} [{:+.3f}, {:+.3f}]"))
    print(f"| {row} | " + " | ".join(cells) + " |")' "${@:2}"
}

tables() { # NAME QUERIES QRELS HEADING KEYS…
  local name=$1 queries=$2 qrels=$3 heading=$4 rows=("${encoders[@]}") one
  shift 4
  base "$name" "$queries"
  case $name in fixtures | real) rows+=("${papers[@]}") ;; esac
  for one in "${modes[@]}"; do row "$name" "$queries" "$qrels" "$one" || exit 2; done | table "$heading" "$@"
  for one in "${rows[@]}"; do row "$name" "$queries" "$qrels" "$one" || exit 2; done | table "$heading: encoders, contexts, windows" "$@"
}

for name in "${collections[@]}"; do
  [ -e "$data/$name/corpus.jsonl" ] || fail "$data/$name/corpus.jsonl is missing"
  tables "$name" "$data/$name/queries.jsonl" "$data/$name/qrels.tsv" "$name" ndcg@10 r@100 mrr
done
passages=(passage_mrr passage_r@5 passage_r@10)
questions=$root/fixtures/questions
tables fixtures "$questions/questions.jsonl" "$questions/qrels.jsonl" "fixture questions, by passage" "${passages[@]}"
if [ -d "$data/../papers" ]; then
  questions=$root/fixtures/questions-real
  tables real "$questions/questions.jsonl" "$questions/qrels.jsonl" "questions on real papers, by passage" "${passages[@]}"
else
  printf '\nThe real papers do not lie beside the collections: their questions are not measured.\n'
fi
