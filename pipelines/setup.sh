#!/usr/bin/env bash
# Brings what a build needs and is missing, says what it brings, and writes the build's settings to FILE.
# usage: setup.sh FILE ["FEATURES"]
#        FILE is sourced before cargo runs: it sets TECHRAG_FEATURES and, where libclang is not where bindgen looks,
#        LIBCLANG_PATH and BINDGEN_EXTRA_CLANG_ARGS
#
# Only the feature mupdf needs more than Rust and a C compiler: its bindings are generated with libclang, which is taken
# from the system, from apt (as root), or out of a Python package (unzipped, not installed). Where none of them can be
# had, the build goes on without the feature and says so.
set -uo pipefail

[ $# -ge 1 ] || { echo "usage: $(basename "$0") FILE [\"FEATURES\"]" >&2; exit 2; }
settings=$1 features=${2:-}
say() { echo "setup: $*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }
folder=$(dirname "$settings")
mkdir -p "$folder" || exit 2

has cargo || { say "Rust is missing: install it with rustup (rust-toolchain.toml names the version)"; exit 2; }
has python3 || { say "Python 3.11 is missing: models are fetched with it"; exit 2; }
if ! has cc && ! has gcc && ! has clang; then
  if [ "$(id -u)" -eq 0 ] && has apt-get; then
    say "bringing gcc (apt-get install gcc libc6-dev)"
    { apt-get update -qq && apt-get install -y -qq gcc g++ libc6-dev make; } >"$folder/apt.log" 2>&1 || { say "apt-get failed: see $folder/apt.log"; exit 2; }
  else
    say "a C compiler is missing: install gcc or clang"; exit 2
  fi
fi

# libclang itself, not libclang-cpp or libclang_rt.
libclang_in() { ls "$1" 2>/dev/null | grep -qE '^libclang(-[0-9.]+)?\.(so|dylib)'; }
gcc_headers() { echo "export BINDGEN_EXTRA_CLANG_ARGS='-I$(gcc -print-file-name=include)'"; }
# Where bindgen looks by itself.
system_libclang() {
  has llvm-config && libclang_in "$(llvm-config --libdir 2>/dev/null)" && return
  local place
  for place in /usr/lib/llvm*/lib /usr/lib /usr/lib64 /usr/lib/*-linux-gnu /usr/local/lib /Library/Developer/CommandLineTools/usr/lib; do
    libclang_in "$place" && return
  done
  return 1
}
apt_libclang() {
  [ "$(id -u)" -eq 0 ] && has apt-get || return 1
  say "bringing libclang for the bindings of $native (apt-get install libclang-dev)"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libclang-dev; } >"$folder/apt.log" 2>&1 && system_libclang
}
# The folder of the library inside the unzipped package.
in_wheel() { dirname "$(find "$folder/libclang" -name 'libclang.so' -o -name 'libclang.dylib' 2>/dev/null | head -1)"; }
wheel_libclang() {
  libclang_in "$(in_wheel)" && return
  say "bringing libclang for the bindings of $native (the Python package libclang 18.1.1, unzipped into $folder/libclang)"
  rm -rf "$folder/libclang" && mkdir -p "$folder/libclang" &&
    python3 -m pip download -q --no-deps -d "$folder/libclang" libclang==18.1.1 >"$folder/pip.log" 2>&1 &&
    python3 -m zipfile -e "$folder"/libclang/*.whl "$folder/libclang" && libclang_in "$(in_wheel)"
}

without() { tr ', ' '\n\n' <<<"$features" | grep -vxE "$1" | paste -sd ' '; }
clang=()
native=$(tr ', ' '\n\n' <<<"$features" | grep -xE 'mupdf' | paste -sd ' ')
if [ -n "$native" ]; then
  if [ -n "${LIBCLANG_PATH:-}" ] || system_libclang || apt_libclang; then
    # The library alone, without clang's own headers, does not find stddef.h.
    compgen -G '/usr/lib/llvm*/lib/clang/*/include/stddef.h' >/dev/null || compgen -G '/usr/lib*/clang/*/include/stddef.h' >/dev/null ||
      ! has gcc || clang=("$(gcc_headers)")
  elif wheel_libclang; then
    clang=("export LIBCLANG_PATH='$(cd "$(in_wheel)" && pwd)'" "$(gcc_headers)")
  else
    say "libclang cannot be had here (apt.log, pip.log in $folder): building WITHOUT $native; hayro reads the PDFs alone"
    features=$(without mupdf)
  fi
fi
printf '%s\n' "export TECHRAG_FEATURES='$features'" "${clang[@]}" >"$settings"
