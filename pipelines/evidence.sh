#!/usr/bin/env bash
# The figures of docs/EVIDENCE.md and the plot beside it: how well the evidence score knows what it does not know.
# usage: evidence.sh DATA [WORK]
#        DATA holds ir/cranfield, ir/cisi and ir/hotpotqa_sample, each with corpus.jsonl, queries.jsonl, qrels.tsv,
#        ir/qasa_unanswerable and papers/*.pdf, that fixtures/questions-real asks about; libraries and hits are kept in
#        WORK, the libraries used again; without it they are made in a temporary folder
# records: corpus → library; questions → hits → evidence → figures, as Markdown on stdout
set -uo pipefail

fail() { echo "evidence: $*" >&2; exit 2; }
[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: $(basename "$0") DATA [WORK]"
data=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
[ -x "$TECHRAG_BIN/techrag-score" ] || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"
export PATH=$TECHRAG_BIN:$PATH
if [ $# -eq 2 ]; then work=$2; mkdir -p "$work" || exit 2; else work=$(mktemp -d) || exit 2; trap 'rm -rf "$work"' EXIT; fi

# library NAME COMMAND: the library of what the command prints, made unless it is there.
library() {
  [ -d "$work/$1.lib" ] && return
  rm -rf "$work/$1.new"
  bash -o pipefail -c "$2 | techrag-embed" >"$work/$1.records" || fail "$1 cannot be embedded"
  techrag-index add --library "$work/$1.new" <"$work/$1.records" >/dev/null || fail "$1 cannot be indexed"
  rm "$work/$1.records" && mv "$work/$1.new" "$work/$1.lib"
}

# hits LIBRARY QUERIES NAME: the hits of questions, which lose all that is known of their answers first; deep enough
# for documents to be left out.
hits() {
  python3 -c '
import json, sys
for question in map(json.loads, open(sys.argv[1], encoding="utf-8")):
    print(json.dumps({"_id": question["_id"], "text": question["text"]}, ensure_ascii=False))' "$2" |
    techrag-retrieve --library "$work/$1.lib" -k 100 >"$work/$3.hits" || fail "$3 cannot be retrieved"
}

sets=() fits=()
off_topic=$data/ir/qasa_unanswerable/testset_unanswerable_244_v1.1.json
[ -e "$off_topic" ] || fail "$off_topic is missing"
python3 -c '
import json, sys
for name, entry in json.load(open(sys.argv[1], encoding="utf-8")).items():
    print(json.dumps({"_id": name, "text": entry["question"]}))' "$off_topic" >"$work/qasa.jsonl" || fail "qasa cannot be read"
for name in fixtures real; do
  if [ "$name" = real ]; then papers=$data/papers questions=$root/fixtures/questions-real
  else papers=$root/fixtures/papers questions=$root/fixtures/questions; fi
  [ -d "$papers" ] || fail "$papers is missing"
  library "$name" "techrag-chunk '$papers'/*.pdf --root '$papers'"
  [ "$name" = fixtures ] || python3 "$root/fixtures/questions/check.py" --set "$questions" --papers "$papers" >&2 ||
    fail "the questions do not hold against the papers as they are read now"
  hits "$name" "$questions/questions.jsonl" "$name"
  hits "$name" "$work/qasa.jsonl" "$name.qasa"
  sets+=(--questions "$name=$questions:$work/$name.hits:$work/$name.lib:$work/$name.qasa.hits")
done
for name in cranfield cisi hotpotqa_sample; do
  [ -e "$data/ir/$name/corpus.jsonl" ] || fail "$data/ir/$name/corpus.jsonl is missing"
  library "$name" "techrag-chunk --from jsonl '$data/ir/$name/corpus.jsonl'"
  hits "$name" "$data/ir/$name/queries.jsonl" "$name"
  sets+=(--collection "$name=$work/$name.hits:$data/ir/$name/qrels.tsv:$work/$name.lib")
  fits+=("$name=$work/$name.hits:$data/ir/$name/qrels.tsv")
done

python3 "$here/evaluate-evidence.py" "${sets[@]}" || fail "the score cannot be evaluated"
printf '\n### The calibration of relevance\n\n'
python3 "$here/fit-relevance.py" --write "$work/relevance.json" --plot "$root/docs/evidence-calibration.svg" "${fits[@]}" ||
  fail "the relevance cannot be fitted"
if cmp -s "$work/relevance.json" "$root/crates/techrag-core/src/calibration/relevance.json"; then
  printf '\nThe fit gives the weights that are built in, byte for byte.\n'
else
  printf '\nThe fit does not give the weights that are built in.\n'
fi
