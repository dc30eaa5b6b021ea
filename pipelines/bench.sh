#!/usr/bin/env bash
# Times of the tools on the fixture papers: each the best of three runs, from process start to last byte.
# usage: bench.sh
# records: PDFs → chunks → chunks with vectors → library; questions → hits → answers
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
[ -x "$TECHRAG_BIN/techrag-chunk" ] || { echo "bench: the tools are not built: run make build" >&2; exit 2; }
export PATH=$TECHRAG_BIN:$PATH
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
python3 -c 'import json, sys; [print(json.loads(line)["text"]) for line in sys.stdin]' <"$root/fixtures/questions/questions.jsonl" >"$work/questions"

# best NAME COUNT UNIT COMMAND: milliseconds of the command, and how many of what it does a second.
best() {
  local name=$1 count=$2 unit=$3 least= start took
  for _ in 1 2 3; do
    start=$(date +%s%N)
    bash -o pipefail -c "$4" >/dev/null 2>"$work/error" || { echo "bench: $name failed: $(tail -1 "$work/error")" >&2; exit 2; }
    took=$((($(date +%s%N) - start) / 1000000))
    [ -n "$least" ] && [ "$least" -le "$took" ] || least=$took
  done
  awk -v name="$name" -v ms="$least" -v n="$count" -v unit="$unit" 'BEGIN {printf "%-42s %7d ms %9.1f %s/s\n", name, ms, n * 1000 / (ms ? ms : 1), unit}'
}

cd "$work" || exit 2
mkdir papers && cp "$root"/fixtures/papers/*.pdf papers
techrag-chunk papers >chunks.jsonl && techrag-embed <chunks.jsonl >embedded.jsonl && techrag-index add --library lib <embedded.jsonl >/dev/null || exit 2
pages=$(python3 -c 'import json, sys; print(sum(json.loads(line).get("pages") or 0 for line in sys.stdin if line.startswith("{\"type\":\"document\"")))' <chunks.jsonl)
chunks=$(grep -c '"type":"chunk"' chunks.jsonl)
questions=$(wc -l <questions)
best "chunk, all papers" "$pages" pages "techrag-chunk papers"
best "embed, all chunks" "$chunks" chunks "techrag-embed <chunks.jsonl"
best "index add, a new library" "$chunks" chunks "rm -rf new && techrag-index add --library new <embedded.jsonl"
for mode in bm25 dense hybrid; do
  best "retrieve $mode, one cold question" 1 queries "head -1 questions | techrag-retrieve --library lib --mode $mode"
  best "retrieve $mode, $questions questions" "$questions" queries "techrag-retrieve --library lib --mode $mode <questions"
done
best "ask, one cold question" 1 queries "head -1 questions | $here/ask.sh lib; [ \$? -le 1 ]"
