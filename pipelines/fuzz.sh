#!/usr/bin/env bash
# Fuzz the parsers' own code and say how long each target ran, on how many inputs, and what it found.
# usage: fuzz.sh [--seconds N] [--at-once N] [--patience N] [--built DIR] [TARGET…]
#        default: 60 seconds each, one at a time, all of tests/fuzz
# records: none; seeds are files of the repository, corpora and crashes are kept under target/fuzz
#
# Needs a nightly compiler and cargo-fuzz (`cargo install --locked cargo-fuzz`). What is found (a panic, more than a
# gigabyte or --patience seconds (10) for one input) ends that target and the exit code is 1: fix it, and keep the input as
# the case of an ordinary test. The seconds are those of the clock: on a machine that is shared, time the input alone and
# be more patient. --built takes targets that are compiled already, however that was done.
# TECHRAG_FUZZ_SEEDS names a folder of more seeds, one folder a target in it.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
kept=${CARGO_TARGET_DIR:-$root/target}/fuzz
export CARGO_TARGET_DIR=$kept/build
seconds=60 at_once=1 patience=10 built=
while [[ "${1:-}" == --* ]]; do
  case $1 in
    --seconds) seconds=$2; shift 2 ;;
    --at-once) at_once=$2; shift 2 ;;
    --patience) patience=$2; shift 2 ;;
    --built) built=$2; shift 2 ;;
    *) sed -n '2,5s/^# *//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
  esac
done
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(sed -n 's/^name = "\([a-z]*\)"$/\1/p' "$root/tests/fuzz/Cargo.toml")

# Seeds: files of each kind.
seed() { # TARGET FILE…
  local target=$1; shift
  mkdir -p "$kept/corpus/$target"
  for file in "$@"; do [ -f "$file" ] && cp -n "$file" "$kept/corpus/$target/$(basename "$file")"; done
  return 0
}
# With a first byte that chooses: seed_as TARGET BYTE FILE ENDING
seed_as() {
  mkdir -p "$kept/corpus/$1"
  { printf "$2"; cat "$3"; } >"$kept/corpus/$1/$(basename "$3").$4"
}
seed content "$root"/tests/fuzz/seeds/content-*
seed fonts "$root"/tests/fuzz/seeds/fonts-*
seed file "$root"/fixtures/papers/relaxation-length.pdf "$root"/fixtures/papers/mu-split-braking.pdf
seed paper "$root"/docs/EVIDENCE.md "$root"/README.md
seed references "$root"/tests/fuzz/seeds/references-*
seed markdown "$root"/*.md "$root"/docs/*.md
seed text "$root"/README.md "$root"/fixtures/README.md
seed html "$root"/tests/fuzz/seeds/*.html
seed delimited "$root"/fixtures/questions/qrels.tsv
seed_as code '\0' "$root/fixtures/papers/build.py" py
seed_as code '\1' "$root/crates/techrag-core/src/lexicon.rs" rs
part() { python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' "$root/fixtures/office/$1" "$2" >"$kept/part"; }
part report.docx word/document.xml; seed_as office '\0' "$kept/part" docx
part sheet.xlsx xl/worksheets/sheet1.xml; seed_as office '\1' "$kept/part" sheet
part deck.pptx ppt/slides/slide2.xml; seed_as office '\2' "$kept/part" slide
part sheet.xlsx xl/workbook.xml; seed_as office '\3' "$kept/part" book
for target in "${targets[@]}"; do seed "$target" ${TECHRAG_FUZZ_SEEDS:+"$TECHRAG_FUZZ_SEEDS/$target"/*}; done

if [ -z "$built" ]; then
  cargo fuzz --version >/dev/null 2>&1 || { echo "fuzz: cargo-fuzz is missing: cargo install --locked cargo-fuzz" >&2; exit 2; }
  # No sanitizer: the code is safe Rust, and panics, hangs and memory show without one.
  cargo +nightly fuzz build --fuzz-dir "$root/tests/fuzz" --sanitizer none
  built=$CARGO_TARGET_DIR/$(rustc -vV | sed -n 's/^host: //p')/release
fi

run() { # TARGET
  local target=$1 log=$kept/$1.log start=$SECONDS code=0 inputs
  mkdir -p "$kept/artifacts/$target"
  "$built/$target" "$kept/corpus/$target" -max_total_time="$seconds" -timeout="$patience" -rss_limit_mb=1024 \
    -max_len=20000 -print_final_stats=1 -artifact_prefix="$kept/artifacts/$target/" >"$log" 2>&1 || code=$?
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  if [ $code -eq 0 ]; then
    echo "$target: $((SECONDS - start)) s, ${inputs:-0} inputs, nothing found"
  else
    echo "$target: ended after $((SECONDS - start)) s, ${inputs:-0} inputs: $(grep -m1 -aE 'panicked|ERROR' "$log" || true); see $log and $kept/artifacts/$target"
    return 1
  fi
}

running=0 found=0
for target in "${targets[@]}"; do
  if [ "$running" -ge "$at_once" ]; then wait -n || found=1; running=$((running - 1)); fi
  run "$target" &
  running=$((running + 1))
done
while [ "$running" -gt 0 ]; do wait -n || found=1; running=$((running - 1)); done
exit $found
