#!/usr/bin/env bash
# The agents with a real, small, local model: routes, one-call answers and four-agent answers on the fixture papers.
# usage: test-llm.sh [--again]
#        The model is fetched and served by llm.py. Every call is kept in tests/llm/calls.jsonl, and a call that is there
#        is not made again, so an interrupted run goes on where it stopped; --again forgets them first.
# records: questions → route (rules and model) → hits → evidence → sources, prompt → answer → checks; the figures go to
#          docs/LLM.md, what `make test` replays to tests/llm
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
kept=$root/tests/llm
fail() { echo "test-llm: $*" >&2; exit 2; }
case "${1:-}" in
  '') exec "$here/llm.py" with "$here/test-llm.sh" --serving ;;
  --again) rm -f "$kept/calls.jsonl"; exec "$here/llm.py" with "$here/test-llm.sh" --serving ;;
  --serving) [ -n "${TECHRAG_LLM:-}" ] || fail "no model is served" ;;
  *) fail "usage: $(basename "$0") [--again]" ;;
esac
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
[ -x "$TECHRAG_BIN/techrag-agents" ] || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"
export PATH=$TECHRAG_BIN:$PATH
mkdir -p "$kept"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# What a context of 4,096 tokens on one slow core allows: short prompts, one call at a time.
tokens=700
llm=(-j 1 --llm-timeout 1800 --llm-record "$kept/calls.jsonl")
say() { echo "test-llm: $*" >&2; }

"$here/llm-figures.py" questions "$root" "$work"

say "library of the fixture papers"
mkdir "$work/papers" && cp "$root"/fixtures/papers/*.pdf "$work/papers"
# Without the model: it would be asked for every paper's entities, and no answer here reads the graph.
env -u TECHRAG_LLM -u TECHRAG_LLM_MODEL "$here/ingest.sh" "$work/papers" "$work/lib" >/dev/null

say "evidence"
for mode in single multi; do
  techrag-agents route <"$work/$mode.jsonl" |
    techrag-retrieve --library "$work/lib" -k 8 |
    techrag-score |
    tee "$work/$mode-scored.jsonl" |
    techrag-answer assemble --chunks 2 --sentences 4 --max-prompt-tokens $tokens |
    # The writers read the sources; the hits would double what is kept.
    python3 -c 'import json, sys
for line in sys.stdin:
    record = json.loads(line)
    for key in ("hits", "retry"):
        record.pop(key, None)
    print(json.dumps(record, ensure_ascii=False))' >"$work/$mode-assembled.jsonl"
done

for mode in single multi; do
  say "answers, --mode $mode"
  techrag-agents generate --mode $mode --fallback none --max-prompt-tokens $tokens "${llm[@]}" -v <"$work/$mode-assembled.jsonl" >"$work/$mode-written.jsonl"
  techrag-answer check <"$work/$mode-written.jsonl" >"$work/$mode-checked.jsonl" || [ $? -eq 1 ]
  # The same calls once more, as a user gets them: quotations where no claim of the model's stands.
  techrag-agents generate --mode $mode --max-prompt-tokens $tokens --llm-replay "$kept/calls.jsonl" --offline <"$work/$mode-assembled.jsonl" |
    techrag-answer check >"$work/$mode-stands.jsonl" || [ $? -eq 1 ]
  techrag-agents generate --mode extractive <"$work/$mode-assembled.jsonl" | techrag-answer check >"$work/$mode-extractive.jsonl" || [ $? -eq 1 ]
done

say "routes"
techrag-agents route <"$work/routes.jsonl" >"$work/routes-rules.jsonl"
techrag-agents route --by llm --rewrite llm "${llm[@]}" -v <"$work/routes.jsonl" >"$work/routes-llm.jsonl"

say "doubts: verdict and evidence of two questions"
# The score is given anew, so that the reviewer finds a verdict that nobody has reviewed.
techrag-score --reviewer llm --max-prompt-tokens $tokens "${llm[@]}" -v < <(head -2 "$work/multi-scored.jsonl") |
  techrag-answer assemble --chunks 2 --sentences 4 --max-prompt-tokens $tokens --verify llm "${llm[@]}" -v >"$work/doubts.jsonl"

say "replay"
for mode in single multi; do
  techrag-agents generate --mode $mode --fallback none --max-prompt-tokens $tokens --llm-replay "$kept/calls.jsonl" --offline <"$work/$mode-assembled.jsonl" |
    cmp - "$work/$mode-written.jsonl" || fail "the replay of --mode $mode differs"
  cp "$work/$mode-assembled.jsonl" "$kept/$mode.jsonl"
done
cp "$work/routes.jsonl" "$kept/routes.jsonl"

"$here/llm-figures.py" report "$root" "$work" >"$root/docs/LLM.md"
say "figures in docs/LLM.md"
