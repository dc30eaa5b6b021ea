#!/usr/bin/env bash
# Retrieval and answers on the fixture questions; retrieval on Cranfield, CISI, the HotpotQA sample and the real papers
# where they lie beside the project (the last three by words and the static encoder, in every fusion and option, which
# take seconds); learned sparse vectors on the fixture questions where splade-tiny is there: compared with the figures
# pinned in tests/regressions. A better figure is a drift too.
# usage: regress.sh [--repin] [NAME…]
#        NAME is one of fixtures cranfield sparse cisi hotpotqa_sample real; all of them without
#        --repin writes the figures measured now into the files; look at why they moved first
# records: questions → hits (techrag-retrieve) and finished query records (ask.sh) → figures → verdict; exit 5 on a drift
set -uo pipefail

fail() { echo "regress: $*" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
repin=
usage="usage: $(basename "$0") [--repin] [fixtures|cranfield|sparse|cisi|hotpotqa_sample|real]…"
if [ "${1:-}" = --repin ]; then repin=1; shift; fi
all=(fixtures cranfield sparse cisi hotpotqa_sample real)
for name in "$@"; do [[ " ${all[*]} " == *" $name "* ]] || fail "$usage"; done
[ $# -gt 0 ] || set -- "${all[@]}"
asked=" $* "
asks() { [[ $asked == *" $1 "* ]]; }
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
[ -x "$TECHRAG_BIN/techrag-eval" ] || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"
export PATH=$TECHRAG_BIN:$PATH TECHRAG_MODELS=${TECHRAG_MODELS:-$root/.models}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Questions without their answers, and the judgements of each half: nothing a stage could read gives the answer away.
split() {
  python3 - "$root/fixtures/questions" "$work" <<'PY'
import json, pathlib, sys
source, work = map(pathlib.Path, sys.argv[1:])
questions = [json.loads(line) for line in open(source / "questions.jsonl")]
half = {question["_id"]: question["half"] for question in questions}
with open(work / "questions.jsonl", "w") as out:
    out.writelines(json.dumps({"_id": question["_id"], "text": question["text"]}) + "\n" for question in questions)
for name in ("tune", "test"):
    with open(work / f"{name}.jsonl", "w") as out:
        out.writelines(line for line in open(source / "qrels.jsonl") if half[json.loads(line)["query"]] == name)
PY
}

fixtures() {
  mkdir "$work/papers" && cp "$root"/fixtures/papers/*.pdf "$work/papers" && split || fail "the fixtures cannot be read"
  "$here/ingest.sh" "$work/papers" "$work/fixtures.lib" >/dev/null || fail "ingest ended with $?"
  techrag-retrieve --library "$work/fixtures.lib" -k 100 <"$work/questions.jsonl" >"$work/hits.jsonl" || fail "retrieve ended with $?"
  "$here/ask.sh" "$work/fixtures.lib" --records --no-llm <"$work/questions.jsonl" >"$work/answers.jsonl"
  [ $? -le 1 ] || fail "ask ended with an error" # 1: some were refused, as they should be
  printf '{"retrieval":{"tune":%s,"test":%s},"answers":%s}\n' \
    "$(techrag-eval metrics --qrels "$work/tune.jsonl" --json <"$work/hits.jsonl")" \
    "$(techrag-eval metrics --qrels "$work/test.jsonl" --json <"$work/hits.jsonl")" \
    "$(techrag-eval answers --questions "$root/fixtures/questions/questions.jsonl" --qrels "$root/fixtures/questions/qrels.jsonl" --json <"$work/answers.jsonl")"
}

cranfield() {
  local data=$1 mode figures=()
  techrag-chunk --from jsonl "$data/corpus.jsonl" | techrag-embed | techrag-index add --library "$work/cranfield.lib" >/dev/null || fail "Cranfield cannot be ingested"
  for mode in bm25 dense hybrid; do
    figures+=("$(techrag-retrieve --library "$work/cranfield.lib" --mode $mode -k 100 <"$data/queries.jsonl" | techrag-eval metrics --qrels "$data/qrels.tsv" --json)") || fail "Cranfield cannot be measured"
  done
  printf '{"bm25":%s,"dense":%s,"hybrid":%s}\n' "${figures[@]}"
}

# Figures of one library in several ways, as one object: ways are name=flags.
ways() { # LIBRARY QUERIES QRELS WAY…
  local library=$1 queries=$2 qrels=$3 way found=
  shift 3
  for way in "$@"; do
    # shellcheck disable=SC2086 # the flags of a way are words
    found+=${found:+,}\"${way%%=*}\":$(techrag-retrieve --library "$library" -k 100 --rerank off ${way#*=} <"$queries" | techrag-eval metrics --qrels "$qrels" --json) || return 2
  done
  printf '{%s}\n' "$found"
}

# Words and the static encoder alone: seconds, not minutes. From chunks on stdin, so that any corpus can be measured.
static() { # NAME QUERIES QRELS
  techrag-embed --model potion-base-8M --context heading | techrag-index add --library "$work/$1.static" >/dev/null || fail "$1 cannot be ingested"
  ways "$work/$1.static" "$2" "$3" "bm25=--mode bm25" "okapi=--mode bm25 --bm25 okapi" "dense=--mode dense" "hybrid=" "rrf=--fusion rrf" \
    "convex=--fusion convex" "keywords=--keyword-boost 1" "phrases=--phrase-boost 1" "mmr=--mmr 0.7" "per_paper=--per-paper 3" || fail "$1 cannot be measured"
}

# Learned sparse vectors, on the fixture papers.
sparse() {
  local questions=$root/fixtures/questions
  techrag-chunk "$root/fixtures/papers" --root "$root/fixtures/papers" | techrag-embed --model potion-base-8M --sparse splade-tiny |
    techrag-index add --library "$work/sparse.lib" >/dev/null || fail "the fixtures cannot be ingested"
  ways "$work/sparse.lib" "$questions/questions.jsonl" "$questions/qrels.jsonl" "sparse=--mode sparse" "half=--sparse-weight 0.5" "one=--sparse-weight 1" \
    "rrf=--fusion rrf --sparse-weight 1" || fail "learned sparse vectors cannot be measured"
}

there() { [ -e "$TECHRAG_MODELS/$1" ]; }

verdict() { # NAME: measured figures on stdin
  local pins=$root/tests/regressions/$1.toml
  if [ -n "$repin" ]; then
    techrag-eval regress "$pins" --repin -o "$work/$1.toml" && cp "$work/$1.toml" "$pins" && echo "pinned: tests/regressions/$1.toml"
  else
    echo "== $1"
    techrag-eval regress "$pins"
  fi
}

status=0
data=$root/../shared/data
if asks fixtures; then
  fixtures >"$work/fixtures.json" || exit 2
  verdict fixtures <"$work/fixtures.json" || status=$?
fi
if ! asks cranfield; then :; elif [ -e "$data/ir/cranfield/corpus.jsonl" ]; then
  cranfield "$data/ir/cranfield" >"$work/cranfield.json" || exit 2
  verdict cranfield <"$work/cranfield.json" || status=$?
else
  echo "== cranfield: not beside the project, left out"
fi
if ! there potion-base-8M/model.safetensors; then
  echo "== static encoder: potion-base-8M is not there (run make models), left out"
  exit "$status"
fi
if ! asks sparse; then :; elif there splade-tiny/model.onnx; then
  sparse >"$work/sparse.json" || exit 2
  verdict sparse <"$work/sparse.json" || status=$?
else
  echo "== sparse: splade-tiny is not there (pipelines/fetch-models.py --only splade-tiny), left out"
fi
for name in cisi hotpotqa_sample; do
  asks "$name" || continue
  [ -e "$data/ir/$name/corpus.jsonl" ] || { echo "== $name: not beside the project, left out"; continue; }
  techrag-chunk --from jsonl "$data/ir/$name/corpus.jsonl" |
    static "$name" "$data/ir/$name/queries.jsonl" "$data/ir/$name/qrels.tsv" >"$work/$name.json" || exit 2
  verdict "$name" <"$work/$name.json" || status=$?
done
if ! asks real; then :; elif [ -d "$data/papers" ]; then
  techrag-chunk "$data/papers/"*.pdf --root "$data/papers" |
    static real "$root/fixtures/questions-real/questions.jsonl" "$root/fixtures/questions-real/qrels.jsonl" >"$work/real.json" || exit 2
  verdict real <"$work/real.json" || status=$?
else
  echo "== real papers: not beside the project, left out"
fi
exit "$status"
