#!/usr/bin/env bash
# A folder into a library: only new and changed files are worked on, removed ones disappear.
# usage: ingest.sh [--pages] DIR [DIR…] LIBRARY
#        --pages encodes the pages too, those of earlier runs included: about half a second of one processor a page
# records: index plan (paths, removed) → chunk (document, chunk) → embed (+ vectors) → index add
#          document, chunk → graph extract (entities, removed) → graph load → graph resolve → graph communities
#          the library's documents → visual index, with --pages
#
# The work goes in slices of TECHRAG_SLICE files (500): what a slice read is in the library, its graph too, before the next
# one begins, so that a run that is interrupted goes on where it was and reads no more than one slice again. chunk and
# embed write to a spool beside the library, since the writers run one after the other; it is removed at the end.
set -uo pipefail

fail() { echo "ingest: $*" >&2; exit 2; }
pages=
[ "${1:-}" != --pages ] || { pages=1; shift; }
[ $# -ge 2 ] || fail "usage: $(basename "$0") [--pages] DIR [DIR…] LIBRARY"
library=${*: -1}
set -- "${@:1:$#-1}"
for dir; do [ -d "$dir" ] || fail "$dir is not a folder"; done
[ ! -e "$library" ] || [ -d "$library" ] || fail "$library is no folder: name one for the library"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for place in "${TECHRAG_BIN:-}" "$here/../target/release" "$here/../bin"; do
  [ -n "$place" ] && [ -x "$place/techrag-chunk" ] && PATH=$place:$PATH && break
done
command -v techrag-chunk >/dev/null || fail "the tools are not built: run make build, or set TECHRAG_BIN to their folder"

mkdir -p "$(dirname "$library")" || exit 2
# Hidden, so that no walk takes it for papers where the library lies among them.
spool=$(mktemp -d "$(dirname "$library")/.$(basename "$library").spool.XXXXXX") || exit 2
trap 'rm -rf "$spool"' EXIT
trap 'exit 130' INT TERM

# The first exit code of 2, 4, 3, 1 found among the stages (DESIGN section 4).
worst() {
  local code
  for code in 2 4 3 1; do case " $* " in *" $code "*) return "$code" ;; esac; done
  for code; do [ "$code" -eq 0 ] || return 2; done
  return 0
}

roots=()
for dir; do roots+=(--root "$dir"); done
# All folders in one plan: two files of one key are named, not put in each other's place.
techrag-index plan "$@" --library "$library" >"$spool/plan"
codes=("$?")
split -a 6 -l "${TECHRAG_SLICE:-500}" "$spool/plan" "$spool/plan."
[ -s "$spool/plan" ] || : >"$spool/plan.aaaaaa"
for slice in "$spool"/plan.*; do
  worst "${codes[@]}"; [ $? -ne 2 ] || break
  techrag-chunk "${roots[@]}" <"$slice" | techrag-embed >"$spool/records.jsonl"
  codes+=("${PIPESTATUS[@]}")
  techrag-index add --library "$library" <"$spool/records.jsonl" >"$spool/added.jsonl"
  codes+=("$?")
  worst "${codes[@]}"; [ $? -ne 2 ] || break
  # The graph is made of what the library took; it can be made again from the same records at any time.
  techrag-graph extract <"$spool/records.jsonl" | techrag-graph load --in-library --library "$library" >"$spool/graph.jsonl"
  codes+=("${PIPESTATUS[@]}")
done
if worst "${codes[@]}"; [ $? -ne 2 ]; then
  techrag-graph resolve --library "$library"
  codes+=("$?")
  # Communities are of all papers; they stay where the library holds what it held when they were made.
  made=$library/communities.made
  held=$(techrag-index sql --library "$library" "SELECT doc_id, chunks FROM documents ORDER BY doc_id" | cksum)
  if [ "$held" != "$(cat "$made" 2>/dev/null)" ]; then
    techrag-graph communities --keep --library "$library"
    codes+=("$?")
    [ "${codes[-1]}" -ne 0 ] || printf '%s\n' "$held" >"$made"
  fi
  if [ -n "$pages" ]; then
    techrag-visual index --all --library "$library" >"$spool/pages.jsonl"
    codes+=("$?")
  fi
fi
worst "${codes[@]}"
status=$?
[ "$status" -eq 2 ] || techrag-index status --library "$library" >&2
exit "$status"
