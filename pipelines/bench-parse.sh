#!/usr/bin/env bash
# Our PDF reader beside PyMuPDF, PyMuPDF4LLM, pypdf and pdftotext on the same files; writes its section of docs/PARSING.md.
# usage: bench-parse.sh [--data DIR] [--fresh] [READER…]
# records: PDFs → documents and chunks, compared with what is true of the files
#
# Environment: BENCH_PARSE_PYTHON, a Python with pymupdf, pymupdf4llm, pypdf, typst and psutil (without it one is made
# under target/bench-parse); BENCH_PARSE_DATA, a folder with real papers (papers/*.pdf) and scans, measured where it is there.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
kept=${CARGO_TARGET_DIR:-$root/target}/bench-parse
export TECHRAG_BIN=${TECHRAG_BIN:-${CARGO_TARGET_DIR:-$root/target}/release}
[ -x "$TECHRAG_BIN/techrag-chunk" ] || { echo "bench-parse: the tools are not built: run make build" >&2; exit 2; }
command -v pdftotext >/dev/null || { echo "bench-parse: pdftotext is missing: install poppler-utils" >&2; exit 2; }
mkdir -p "$kept"

python=${BENCH_PARSE_PYTHON:-$kept/venv/bin/python}
if ! "$python" -c 'import pymupdf, pymupdf4llm, pypdf, typst, psutil' 2>/dev/null; then
  echo "bench-parse: bringing the other readers (200 MB)" >&2
  python3 -m venv "$kept/venv"
  "$kept/venv/bin/pip" install -q pymupdf==2.0 pymupdf4llm==2.0 pypdf==7.1.1 typst==0.15.2 psutil
  python=$kept/venv/bin/python
fi

data=${BENCH_PARSE_DATA:-$root/../shared/data}
[ -d "$data/papers" ] && set -- --data "$data" "$@"
exec "$python" "$here/bench-parse" --kept "$kept" "$@"
