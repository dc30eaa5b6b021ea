#!/usr/bin/env bash
# Fuzz the parsers' own code, one target after another, and say how long each ran and what it found.
# usage: fuzz.sh [--seconds N] [TARGET…]     default: 60 seconds each, all targets of fuzz/
# records: none; seeds are files of the repository, corpora and crashes are kept under target/fuzz
#
# Needs a nightly compiler and cargo-fuzz (`cargo install --locked cargo-fuzz`). A crash ends with exit 1 and the path of its input:
# fix it and keep the input as a case of an ordinary test.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
kept=${CARGO_TARGET_DIR:-$root/target}/fuzz
export CARGO_TARGET_DIR=$kept/build
seconds=60
[ "${1:-}" = --seconds ] && { seconds=$2; shift 2; }
cargo fuzz --version >/dev/null 2>&1 || { echo "fuzz: cargo-fuzz is missing: cargo install --locked cargo-fuzz" >&2; exit 2; }
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(sed -n 's/^name = "\([a-z]*\)"$/\1/p' "$root/fuzz/Cargo.toml")

# Seeds: real files of each kind.
seed() { # TARGET FILE…
  local target=$1; shift
  mkdir -p "$kept/corpus/$target"
  for file in "$@"; do [ -f "$file" ] && cp -n "$file" "$kept/corpus/$target/$(basename "$file")"; done
  return 0
}
# With a first byte that chooses: seed_as TARGET BYTE FILE
seed_as() {
  mkdir -p "$kept/corpus/$1"
  { printf "$2"; cat "$3"; } >"$kept/corpus/$1/$(basename "$3").$4"
}
seed content "$root"/fuzz/seeds/content-*
seed fonts "$root"/fuzz/seeds/fonts-*
seed file "$root"/fixtures/papers/relaxation-length.pdf "$root"/fixtures/papers/mu-split-braking.pdf
seed paper "$root"/docs/EVIDENCE.md "$root"/README.md
seed references "$root"/fuzz/seeds/references-*
seed markdown "$root"/*.md "$root"/docs/*.md
seed text "$root"/README.md "$root"/fixtures/README.md
seed html "$root"/fuzz/seeds/*.html
seed delimited "$root"/fixtures/questions/qrels.tsv
seed_as code '\0' "$root/fixtures/papers/build.py" py
seed_as code '\1' "$root/crates/techrag-core/src/lexicon.rs" rs
archive() { python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' "$root/fixtures/office/$1" "$2" >"$kept/part"; }
archive report.docx word/document.xml; seed_as office '\0' "$kept/part" docx
archive sheet.xlsx xl/worksheets/sheet1.xml; seed_as office '\1' "$kept/part" sheet
archive deck.pptx ppt/slides/slide2.xml; seed_as office '\2' "$kept/part" slide
archive sheet.xlsx xl/workbook.xml; seed_as office '\3' "$kept/part" book

cd "$root/fuzz"
found=0
for target in "${targets[@]}"; do
  mkdir -p "$kept/corpus/$target" "$kept/artifacts/$target"
  # No sanitizer: the code is safe Rust, and panics, hangs and memory show without one.
  start=$SECONDS
  if cargo +nightly fuzz run --sanitizer none "$target" "$kept/corpus/$target" -- -max_total_time="$seconds" -timeout=20 \
    -rss_limit_mb=2048 -max_len=20000 -print_final_stats=1 -artifact_prefix="$kept/artifacts/$target/" >"$kept/$target.log" 2>&1; then
    echo "$target: $((SECONDS - start)) s, $(sed -n 's/^stat::number_of_executed_units: *//p' "$kept/$target.log") inputs, nothing found"
  else
    found=1
    echo "$target: failed after $((SECONDS - start)) s: $(grep -m1 -E 'panicked|ERROR|error' "$kept/$target.log" || true); see $kept/$target.log and $kept/artifacts/$target"
  fi
done
exit $found
