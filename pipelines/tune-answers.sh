#!/usr/bin/env bash
# What the extractive writer says to the questions for tuning in fixtures/answers: a line of shares for each file.
# usage: tune-answers.sh [FILE…]
#        FILE is one of fixtures/answers, dev more drill; all without. Only questions on the fixture papers are asked: the
#        real ones do not lie in the repository. These questions have no judged pages, so that nothing is said of citations
set -uo pipefail

fail() { echo "tune-answers: $*" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
[ $# -gt 0 ] || set -- dev more drill
for name in "$@"; do [ -f "$root/fixtures/answers/$name.jsonl" ] || fail "no fixtures/answers/$name.jsonl"; done
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
[ -x "$TECHRAG_BIN/techrag-eval" ] || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"
export PATH=$TECHRAG_BIN:$PATH TECHRAG_MODELS=${TECHRAG_MODELS:-$root/.models}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

mkdir "$work/papers" && cp "$root"/fixtures/papers/*.pdf "$work/papers" || fail "the fixture papers cannot be read"
"$here/ingest.sh" "$work/papers" "$work/lib" >/dev/null || fail "ingest ended with $?"
for name in "$@"; do
  python3 - "$root/fixtures/answers/$name.jsonl" "$work" <<'PY' || fail "the questions cannot be read"
import json, pathlib, sys
work = pathlib.Path(sys.argv[2])
questions = [json.loads(line) for line in open(sys.argv[1])]
questions = [{"kind": "-", "half": "tune"} | question for question in questions if question.get("set") != "real"]
def write(name, records):
    (work / name).write_text("".join(json.dumps(record) + "\n" for record in records))
write("questions.jsonl", questions)
write("asked.jsonl", ({"_id": question["_id"], "text": question["text"]} for question in questions))
# A judgement each, of no document: the evaluation asks for one, and nothing that rests on it is printed.
write("qrels.jsonl", ({"query": question["_id"], "document": "-", "page": 1, "grade": 1, "span": "-"}
                      for question in questions if question["answerable"]))
PY
  "$here/ask.sh" "$work/lib" --records --no-llm <"$work/asked.jsonl" >"$work/answers.jsonl"
  [ $? -le 1 ] || fail "ask ended with an error" # 1: some were refused
  techrag-eval answers --questions "$work/questions.jsonl" --qrels "$work/qrels.jsonl" --json <"$work/answers.jsonl" |
    python3 -c 'import json, sys
shares = json.load(sys.stdin)["all"]
print(sys.argv[1], *(f"{name} {shares[name]:.3f}" for name in ("gold", "right_refusals", "false_refusals", "verified")))' "$name" || fail "$name cannot be measured"
done
