#!/usr/bin/env bash
# A question to a cited answer, or to an honest "Not found in the provided sources."
# usage: ask.sh LIBRARY ["question"] [--records] [--format text|markdown|json|html|bibtex|csl|ris] [--explain] [--expand] [-k N] [--mode M] [--effort E] [--year Y] [--no-llm] [--search WHEN]
#        --expand lets chunks of papers near the hits in the graph join them (docs/GRAPH.md says what that is worth)
#        without a question, queries are read from stdin (text, BEIR lines or query records)
#        --effort auto|low|high: a question that is low (one plain question, answered well by the text) asks for no pages
#        --no-llm asks no language model even where one is configured; without it, one writes where one is
#        --search auto|always|never is when literature and the web are asked (auto: where a contact or a web search is
#        configured); --contact, --searxng, --endpoint and --cache go to techrag-external, --offline to every stage
#        --year is the year from which recency is judged: this one, or none with --records unless it is said
# records: query → route → hits → graph → pages → evidence, retry → its hits, its graph, its pages, its evidence → external → graph →
#          crops, pictures → sources, prompt → answer → checks →
#          rendered answer (or the records, with --records)
set -uo pipefail

fail() { echo "ask: $*" >&2; exit 2; }
usage="usage: $(basename "$0") LIBRARY [\"question\"] [--records] [--explain] [--expand] [--format F] [-k N] [--mode M] [--effort E] [--year Y] [--no-llm] [--search WHEN] [--offline]"
library='' question='' asked='' records='' year='' render=() route=() retrieve=() expand=() writer=() external=()
# A word is the library, then the question.
word() {
  if [ -z "$library" ]; then library=$1; elif [ -z "$asked" ]; then question=$1 asked=1; else fail "$usage"; fi
}
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) echo "$usage"; exit 0 ;;
    --records) records=1 ;;
    --expand) expand=(--bring) ;;
    --no-llm) writer=(--mode extractive) ;;
    --explain) render+=("$1") ;;
    --format) [ $# -ge 2 ] || fail "$usage"; render+=("$1" "$2"); shift ;;
    -k | --mode | --fusion | --rerank) [ $# -ge 2 ] || fail "$usage"; retrieve+=("$1" "$2"); shift ;;
    --effort) [ $# -ge 2 ] || fail "$usage"; route=("$1" "$2"); shift ;;
    --search | --contact | --searxng | --endpoint | --cache) [ $# -ge 2 ] || fail "$usage"; external+=("$1" "$2"); shift ;;
    --offline) export TECHRAG_OFFLINE=true ;;
    --year) [ $# -ge 2 ] || fail "$usage"; year=$2; shift ;;
    --) shift; for rest; do word "$rest"; done; break ;;
    -*) fail "unknown option $1 (a question that starts with - stands after --); $usage" ;;
    *) word "$1" ;;
  esac
  shift
done
[ -n "$library" ] || fail "$usage"
[ -z "$asked" ] || [ -n "${question//[[:space:]]/}" ] || fail "the question is empty"
[ -d "$library" ] || fail "$library is not a library: run ingest.sh DIR $library first"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for place in "${TECHRAG_BIN:-}" "$here/../target/release" "$here/../bin"; do
  [ -n "$place" ] && [ -x "$place/techrag-retrieve" ] && PATH=$place:$PATH && break
done
command -v techrag-retrieve >/dev/null || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"

# Regression runs compare records byte for byte, so only a rendered answer shows times.
timings=(--timings)
[ -z "$records" ] || timings=()
# For the same reason records are not scored by the day they are made on.
[ -n "$records" ] || year=${year:-$(date +%Y)}
score=(${year:+--year "$year"} "${timings[@]}")

# A question on the command line is text whatever it looks like: as JSON it cannot be taken for a record.
json() { local text=${1//[[:cntrl:]]/ }; text=${text//\\/\\\\}; printf '{"question":"%s"}\n' "${text//\"/\\\"}"; }
ask() { if [ -n "$asked" ]; then json "$question"; else cat; fi; }
finish() { if [ -n "$records" ]; then cat; else techrag-answer render --library "$library" "${render[@]}"; fi; }

ask |
  techrag-agents route "${route[@]}" "${timings[@]}" |
  techrag-retrieve --library "$library" "${retrieve[@]}" "${timings[@]}" |
  techrag-graph expand "${expand[@]}" --library "$library" "${timings[@]}" |
  techrag-visual search --library "$library" "${timings[@]}" |
  techrag-score "${score[@]}" |
  techrag-retrieve --library "$library" "${retrieve[@]}" --retry "${timings[@]}" |
  techrag-graph expand "${expand[@]}" --library "$library" --retry "${timings[@]}" |
  techrag-visual search --library "$library" --retry "${timings[@]}" |
  techrag-score --retry "${score[@]}" |
  techrag-external ${year:+--year "$year"} "${external[@]}" "${timings[@]}" |
  techrag-graph context --library "$library" "${timings[@]}" |
  techrag-visual crops --library "$library" "${timings[@]}" |
  techrag-visual render --library "$library" "${timings[@]}" |
  techrag-answer assemble "${timings[@]}" |
  techrag-agents generate "${writer[@]}" "${timings[@]}" |
  techrag-answer check "${timings[@]}" |
  finish
codes=("${PIPESTATUS[@]}")

# The first of 2, 4, 3, 1 found among the stages (DESIGN section 4); any other failure is fatal, but for a broken pipe
# (141): whoever read the records has seen enough.
for code in 2 4 3 1; do case " ${codes[*]} " in *" $code "*) exit "$code" ;; esac; done
for code in "${codes[@]}"; do [ "$code" -eq 0 ] || [ "$code" -eq 141 ] || exit 2; done
