# Two commands matter: `make demo` and `make test`. Both set up first; a second set-up costs nothing.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: setup demo test lint types imports unit bench lock clean

UV_VERSION := 0.13.9
VENV := .venv
BIN := $(VENV)/bin
export UV_COMPILE_BYTECODE := 1
# uv must use this .venv whatever environment is active around it, and must not fetch a Python of its own.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export UV_PYTHON_DOWNLOADS := never

setup: $(VENV)/.installed

# The first interpreter that starts and is new enough; PYTHON=... overrides the choice.
$(VENV)/.uv-$(UV_VERSION):
	@found=; \
	for p in $(if $(PYTHON),"$(PYTHON)",python3 python3.13 python3.12 python3.11 python3.14); do \
	  if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then found=$$p; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
	  echo "relay-lab needs Python 3.11 or newer and found none$(if $(PYTHON), at $(PYTHON)); install one, or name it: make PYTHON=/path/to/python3 $(or $(MAKECMDGOALS),setup)" >&2; exit 2; \
	fi; \
	"$$found" -m venv --clear $(VENV) || { echo "$$found cannot make a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

$(VENV)/.synced: requirements.txt $(VENV)/.uv-$(UV_VERSION)
	$(BIN)/uv pip sync --quiet --require-hashes requirements.txt
	@touch $@

# hatchling and editables are in requirements.txt, so the build needs nothing that is not pinned.
$(VENV)/.installed: pyproject.toml $(VENV)/.synced
	$(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup
	@$(BIN)/relay-lab demo --plan individual --confirm

test: lint types imports unit

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

# Fails below 100 % branch coverage of relay_lab/core (see [tool.coverage] in pyproject.toml).
unit: setup
	$(BIN)/pytest -p no:nbval --numprocesses=auto --maxprocesses=8 --cov --cov-report=term-missing:skip-covered

# Writes docs/benchmarks.md; no test asserts a time. `make bench ONLY=turn` shows one question and writes nothing.
bench: setup
	@BENCH_DATE=$$(date -u +%Y-%m-%d) $(BIN)/python -m benchmarks $(ONLY)

lock: $(VENV)/.uv-$(UV_VERSION)
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url \
	  --extra lab --group dev --output-file requirements.txt pyproject.toml

clean:
	rm -rf $(VENV) build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
