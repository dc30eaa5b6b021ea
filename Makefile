# TechRAG. `make help` says what there is; developers' targets are in the justfile.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build models demo test neo4j test-neo4j test-page llm test-llm ingest install regress bench bench-parse fuzz torture schemas fmt lint clean

# Cargo features of the root package. MuPDF is a second PDF reader; builds with it are distributed under AGPL-3.0.
FEATURES ?= mupdf
# Where `make install` puts the tools.
PREFIX ?= $(HOME)/.local
# Where models are kept.
MODELS ?= $(CURDIR)/.models
# The same folder for cargo and for us.
TARGET := $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)

export TECHRAG_MODELS := $(MODELS)
export TECHRAG_BIN := $(TARGET)/release
TOOLS := agents answer chunk embed eval external graph index retrieve score visual
# Every cargo call has the settings that `setup` found.
SETTINGS = . "$(TARGET)/settings.sh";
CARGO = $(SETTINGS) cargo
WITH = --features "$$TECHRAG_FEATURES"

help: ## Say what there is to make
	@echo "usage: make TARGET [NAME=VALUE…]"; echo
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-11s %s\n", $$1, $$2}'
	@echo; echo "  FEATURES=  builds without MuPDF (permissive licence); now: $(FEATURES)"
	@echo "  PREFIX=    where install puts the tools; now: $(PREFIX)"
	@echo "  MODELS=    where models are kept; now: $(MODELS)"

setup: ## Bring what a build needs and is missing, and say so
	@pipelines/setup.sh "$(TARGET)/settings.sh" "$(FEATURES)"

build: setup ## Build the release binaries
	$(CARGO) build --release --bins $(WITH)

models: ## Fetch and verify the models (ONNX Runtime, sentence encoder)
	@pipelines/fetch-models.py --dir "$(MODELS)"

demo: build models ## Set up, ingest the fixture papers, answer one question and refuse another
	@pipelines/demo.sh demo-library

test: setup models ## Set up and run all tests
	$(CARGO) test --workspace $(WITH)

neo4j: ## Start a Neo4j server on a free port for trying the graph (fetched by Maven, once)
	@pipelines/neo4j.sh start "$(TARGET)/neo4j"

test-neo4j: setup ## Test the graph on a real Neo4j server beside the embedded one
	@$(SETTINGS) pipelines/test-neo4j.sh "$(TARGET)/neo4j-test" cargo test $(WITH) --test main

test-page: build models ## Open an HTML answer in headless Chromium (brings Chromium and playwright-core)
	@pipelines/test-page.sh "$(TARGET)/page"

llm: setup ## Fetch a small language model (1.1 GB) and serve it on 127.0.0.1, OpenAI-compatible, until interrupted
	@pipelines/llm.py serve

test-llm: build models ## Run the agents against that model (up to 40 minutes); writes docs/LLM.md and what make test replays
	@pipelines/test-llm.sh

ingest: build models ## Put the papers of DOCS=DIR into LIBRARY=DIR
	@[ -n "$(DOCS)" ] && [ -n "$(LIBRARY)" ] || { echo 'usage: make ingest DOCS=DIR LIBRARY=DIR' >&2; exit 2; }
	@pipelines/ingest.sh "$(DOCS)" "$(LIBRARY)"

install: build models ## Install tools, pipelines, models, man pages and completions under PREFIX
	@install -d "$(PREFIX)/bin" "$(PREFIX)/share/man/man1" "$(PREFIX)/share/bash-completion/completions" "$(PREFIX)/share/techrag"
	@for tool in $(TOOLS:%=techrag-%); do \
	  install -m 755 "$(TARGET)/release/$$tool" "$(PREFIX)/bin/$$tool"; \
	  "$(PREFIX)/bin/$$tool" --man >"$(PREFIX)/share/man/man1/$$tool.1"; \
	  "$(PREFIX)/bin/$$tool" --completions bash >"$(PREFIX)/share/bash-completion/completions/$$tool"; \
	done
	@install -m 755 pipelines/ingest.sh "$(PREFIX)/bin/techrag-ingest"
	@install -m 755 pipelines/ask.sh "$(PREFIX)/bin/techrag-ask"
	@cp -R "$(MODELS)/." "$(PREFIX)/share/techrag/models"
	@echo "installed into $(PREFIX): $(TOOLS:%=techrag-%) techrag-ingest techrag-ask"

regress: build models ## Compare retrieval and answers with the pinned figures; exit 5 if one moved
	@pipelines/regress.sh

torture: build ## Kill a library's writer 200 times, or for TORTURE_SECONDS; it must stay clean and whole
	@pipelines/torture.py

bench: build models ## Measure the tools beside the Python stack; writes docs/PERFORMANCE.md
	@pipelines/bench.sh

bench-parse: build ## Measure the PDF reader beside PyMuPDF, pypdf and pdftotext; writes its part of docs/PARSING.md
	@pipelines/bench-parse.sh

fuzz: ## Fuzz the parsers, FUZZ_SECONDS (60) each; needs a nightly compiler and cargo-fuzz
	@pipelines/fuzz.sh --seconds "$(or $(FUZZ_SECONDS),60)"

schemas: setup ## Write docs/schemas from the record types
	@mkdir -p docs/schemas
	@$(CARGO) run -q --bin techrag-eval -- --schema | python3 -c 'import json, pathlib, sys; [pathlib.Path(f"docs/schemas/{tag}.json").write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n") for tag, schema in json.load(sys.stdin).items()]'

fmt: ## Format the code
	cargo fmt --all

lint: setup ## Formatting and clippy, warnings refused
	cargo fmt --all --check
	$(CARGO) clippy --workspace --all-targets $(WITH) -- -D warnings

clean: ## Remove what was built and the demo's library
	cargo clean
	rm -rf demo-library
