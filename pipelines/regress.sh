#!/usr/bin/env bash
# Retrieval and answers on the fixture questions; retrieval on Cranfield, CISI, the HotpotQA sample and the real papers
# where they lie beside the project (the last three by words and the static encoder, which take seconds): compared with
# the figures pinned in tests/regressions. A better figure is a drift too.
# usage: regress.sh [--repin]
#        --repin writes the figures measured now into the files; look at why they moved first
# records: questions → hits (techrag-retrieve) and finished query records (ask.sh) → figures → verdict; exit 5 on a drift
set -uo pipefail

fail() { echo "regress: $*" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
repin=
case "${1:-}" in
  '') ;;
  --repin) repin=1 ;;
  *) fail "usage: $(basename "$0") [--repin]" ;;
esac
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

# Words and the static encoder alone: seconds, not minutes. From chunks on stdin, so that any corpus can be measured.
static() { # NAME QUERIES QRELS
  local name=$1 mode figures=()
  techrag-embed --model potion-base-8M --context heading | techrag-index add --library "$work/$name.static" >/dev/null || fail "$name cannot be ingested"
  for mode in bm25 dense hybrid; do
    figures+=("$(techrag-retrieve --library "$work/$name.static" --mode $mode -k 100 --rerank off <"$2" | techrag-eval metrics --qrels "$3" --json)") || fail "$name cannot be measured"
  done
  printf '{"bm25":%s,"dense":%s,"hybrid":%s}\n' "${figures[@]}"
}

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
fixtures >"$work/fixtures.json" || exit 2
verdict fixtures <"$work/fixtures.json" || status=$?
data=$root/../shared/data
if [ -e "$data/ir/cranfield/corpus.jsonl" ]; then
  cranfield "$data/ir/cranfield" >"$work/cranfield.json" || exit 2
  verdict cranfield <"$work/cranfield.json" || status=$?
else
  echo "== cranfield: not beside the project, left out"
fi
if [ ! -e "$TECHRAG_MODELS/potion-base-8M/model.safetensors" ]; then
  echo "== static encoder: potion-base-8M is not there (run make models), left out"
  exit "$status"
fi
for name in cisi hotpotqa_sample; do
  [ -e "$data/ir/$name/corpus.jsonl" ] || { echo "== $name: not beside the project, left out"; continue; }
  techrag-chunk --from jsonl "$data/ir/$name/corpus.jsonl" |
    static "$name" "$data/ir/$name/queries.jsonl" "$data/ir/$name/qrels.tsv" >"$work/$name.json" || exit 2
  verdict "$name" <"$work/$name.json" || status=$?
done
if [ -d "$data/papers" ]; then
  techrag-chunk "$data/papers/"*.pdf --root "$data/papers" |
    static real "$root/fixtures/questions-real/questions.jsonl" "$root/fixtures/questions-real/qrels.jsonl" >"$work/real.json" || exit 2
  verdict real <"$work/real.json" || status=$?
else
  echo "== real papers: not beside the project, left out"
fi
exit "$status"
