# Needs Python 3.11 or newer, make and a package registry; everything else is set up here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint format docs clean

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

SAMPLE := sources/sample/hangzhou
demo: $(READY) ## Build the bundled sample city
	$(BIN)/tripbed build --city hangzhou --profile demo --documents $(SAMPLE)/documents --tables $(SAMPLE)/tables

test: $(READY) ## Run the tests
	$(BIN)/python -m pytest

coverage: $(READY) ## Run the tests and measure line coverage
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered --cov-fail-under=85

lint: $(READY) ## Check style, types and the import rule
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY) ## Format the code
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(READY) ## Write the generated pages
	$(BIN)/python -m schemas.dictionary
	$(BIN)/python -m validators.catalogue_doc
	$(BIN)/python -m flows.settings.page
	$(BIN)/python -m sources.tables.rules

lock: ## Pin the dependencies again
	uv pip compile -q --no-header --no-annotate --generate-hashes --extra dev --python-version 3.11 --universal pyproject.toml -o requirements.lock

clean: ## Remove what builds leave behind
	rm -rf .tripbed snapshots .coverage* htmlcov
