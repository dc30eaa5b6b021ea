# For developers; `make help` is for everybody else. `pip install rust-just` brings just.

export TECHRAG_MODELS := env("TECHRAG_MODELS", justfile_directory() / ".models")

# List what there is
default:
    @just --list

# Check one crate quickly
check crate:
    cargo check -p {{ crate }} --all-targets

# Test one crate, or tests whose name holds NAME
test crate name="":
    cargo test -p {{ crate }} {{ name }}

# The contract tests over real binaries
contracts name="":
    cargo test -p techrag --test main {{ name }}

# Layout, lengths and permitted edges
tidy:
    cargo test -p techrag --test main tidy

# Formatting and clippy without the C build of MuPDF
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Accept changed inline snapshots (needs cargo-insta)
snapshots:
    cargo insta test --accept -p techrag --test main

# Pin the figures measured now, after looking at why they moved
repin:
    pipelines/regress.sh --repin
