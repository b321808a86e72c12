# Needs Python 3.11 or newer, make and a package registry; everything else is set up here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo check test coverage lint format docs lock clean wheel

help: ## Say what there is to do
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

setup: $(READY) ## Make the environment in .venv

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes --compile-bytecode -r requirements.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps -e .
	@touch $(READY)

demo: $(READY) ## Build the bundled sample city
	$(BIN)/tripbed demo

DIST := dist
wheel: $(READY) ## Build the wheel in dist
	$(BIN)/uv build -q --wheel --out-dir $(DIST)

# Tests start many processes: compiled modules are kept, whatever the shell says.
export PYTHONDONTWRITEBYTECODE :=
# A worker that has nothing left to do takes from the others.
PYTEST := $(BIN)/python -m pytest --dist worksteal --numprocesses logical

check: $(READY) ## Style, types, import rule and quick unit tests, side by side: the loop while working
	@$(PARTS) types units style format-check imports

test: $(READY) ## Run all tests and name the ten slowest
	$(PYTEST) --durations 10

coverage: $(READY) ## Run all tests and measure line coverage
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-fail-under=85

lint: $(READY) ## Style, types and the import rule
	@$(PARTS) types style format-check imports

# Parts run two at a time. Each says in a line what it came to; one that fails says why before.
PARTS := $(MAKE) --no-print-directory --keep-going --jobs 2
part = @said=$$($(1) 2>&1) && echo "ok      $@: $$(echo "$$said" | tail -n 1)" \
	|| { printf '%s\n' "$$said" "FAILED  $@"; exit 1; }

.PHONY: types units style format-check imports
types: ; $(call part,$(BIN)/mypy)
units: ; $(call part,$(PYTEST) tests/unit -m "not slow")
style: ; $(call part,$(BIN)/ruff check .)
format-check: ; $(call part,$(BIN)/ruff format --check .)
imports: ; $(call part,$(BIN)/lint-imports)

format: $(READY) ## Format the code
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(READY) ## Write the generated pages
	$(BIN)/python -m schemas.dictionary
	$(BIN)/python -m schemas.row_types
	$(BIN)/python -m validators.catalogue_doc
	$(BIN)/python -m validators.metrics.doc
	$(BIN)/python -m flows.settings.page
	$(BIN)/python -m sources.tables.rules

lock: ## Pin the dependencies again
	uv pip compile -q --no-header --no-annotate --generate-hashes --extra dev --python-version 3.11 --universal pyproject.toml -o requirements.lock

clean: ## Remove what builds leave behind
	rm -rf .tripbed snapshots .coverage* htmlcov dist
