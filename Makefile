# Two commands set everything up: `make generate` and `make test`.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Every Python from 3.11 on that is on the PATH.
PYTHONS ?= $(shell for v in 3.11 3.12 3.13 3.14; do python$$v -c '' 2>/dev/null && echo python$$v; done)

.PHONY: generate check test test-all fuzz bench-codec bench-stdio interop clean

generate: $(BIN)/.installed
	$(BIN)/mcpgen generate

check: $(BIN)/.installed
	$(BIN)/mcpgen check

test: $(BIN)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy codegen/mcpgen generated/mcp_wire
	$(BIN)/basedpyright
	$(BIN)/mcpgen check
	$(BIN)/pytest -n auto

# The suite on every Python there is; the linters need only one.
test-all: test
	@test -n "$(PYTHONS)" || { echo "error: found no python3.11 or later on the PATH" >&2; exit 1; }
	for python in $(PYTHONS); do \
	  $(MAKE) --no-print-directory VENV=.venv-$$python PYTHON=$$python pytest || exit 1; \
	done

.PHONY: pytest
pytest: $(BIN)/.installed
	$(BIN)/python --version
	$(BIN)/pytest -n auto

# Other documents each time, and many more of them; SEED=… repeats a run.
SEED ?= $(shell date +%s)
DOCUMENTS ?= 100
REPEAT = make fuzz SEED=$(SEED) DOCUMENTS=$(DOCUMENTS)
FUZZED = tests/roundtrip/test_differential.py $(shell grep -rl '^from hypothesis' tests)
fuzz: SEED := $(SEED)
fuzz: $(BIN)/.installed
	@echo "$(REPEAT) repeats this run"
	FUZZ_SEED=$(SEED) FUZZ_DOCUMENTS=$(DOCUMENTS) \
	  $(BIN)/pytest -n auto --hypothesis-seed=$(SEED) $(FUZZED) \
	  || { echo "failed; to repeat: $(REPEAT)" >&2; exit 1; }

bench-codec: $(BIN)/.installed
	$(BIN)/pip install -q -c constraints.txt mcp-types
	$(BIN)/python -m tests.benchmarks.codec

bench-stdio: $(BIN)/.installed
	$(BIN)/python -m tests.interop.peers
	$(BIN)/python -m tests.benchmarks.stdio

# Our client and server with programs of others; node and npm have to be there.
interop: $(BIN)/.installed
	$(BIN)/python -m tests.interop.peers
	$(BIN)/pytest -rs tests/interop

$(BIN)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: needs Python 3.11 or later, found " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	touch $@

clean:
	rm -rf .venv .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
