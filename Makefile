# Everything below needs Python 3.11 to 3.13, make and a package registry, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test test-editors bench bench-quick lint types contracts format package clean

$(STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info < (3, 14), "Redline needs Python 3.11 to 3.13; name one with make PYTHON=python3.12"'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

demo: $(STAMP)
	$(BIN)/redline demo

test: $(STAMP)
	$(BIN)/python -m pytest

# Real editors, got into a folder by tests/editors/get/: REDLINE_EDITORS, else .editors.
test-editors: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" tests/editors/get/get-all
	$(BIN)/python -m pytest tests/editors

bench: $(STAMP)
	$(BIN)/python -m benchmarks

bench-quick: $(STAMP)
	$(BIN)/python -m benchmarks --quick

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(STAMP)
	$(BIN)/mypy

contracts: $(STAMP)
	$(BIN)/lint-imports

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

package: $(STAMP)
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf $(VENV) dist build
