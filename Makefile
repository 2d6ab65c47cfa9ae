# All targets need only Python 3.11 to 3.13, make and a package registry.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Keep compiled modules: each server that a test starts would compile all of them again.
unexport PYTHONDONTWRITEBYTECODE

# The VS Code extension: its tools need a recent Node.js, which is installed from PyPI if
# there is none.
VSCODE := editors/vscode
NODE := cd $(VSCODE) && PYTHON=$(CURDIR)/$(BIN)/python ./with-node
NODE_STAMP := $(VSCODE)/node_modules/.installed

.PHONY: demo test test-server test-fast test-random test-vscode editors test-editors test-outside test-engines pictures gallery bench-editors bench bench-quick lint types contracts format package clean

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(None if (3, 11) <= sys.version_info < (3, 14) else "Redline needs Python 3.11 to 3.13; name one with make PYTHON=python3.12")'
	@echo "Setting up $(VENV): once, a minute or two."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

$(NODE_STAMP): $(VSCODE)/package-lock.json | $(STAMP)
	$(NODE) npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	touch $@

demo: $(STAMP)
	@$(BIN)/redline demo

# The tests of the extension run beside the first of the others.
test: $(STAMP) $(NODE_STAMP)
	@$(MAKE) --no-print-directory --jobs=2 test-vscode test-server

# Each test starts its own servers on free ports; tests/conftest.py says how many
# processes run them.
test-server: $(STAMP)
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal \
		$(addprefix --ignore=,$(RANDOM_TESTS)) $(PYTEST_ARGS)

# The pure rooms and the units that start no process, without the tests of
# `make test-random`: under a minute on two cores.
FAST := $(addprefix tests/,checks completion findings instructions prompts routing settings store \
	syntax text wire)

test-fast: $(STAMP)
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal \
		$(addprefix --ignore=,$(RANDOM_TESTS)) $(FAST)

# The tests with the most expensive inputs and those that start and kill many servers,
# which are not in `make test`; then every test with random inputs, with others.
RANDOM_TESTS := $(addprefix tests/,assist/review/test_killed_reviews.py \
	assist/privacy/test_ignore_patterns.py checks/test_human_edits.py \
	cli/test_demo_models.py cli/test_hostile_workspace.py e2e/test_answers_at_the_provider.py \
	e2e/test_killed_after_answers.py e2e/test_killed_plans.py e2e/test_live_random.py \
	e2e/test_plan_bad_cases.py e2e/test_plan_interruptions.py e2e/test_plan_tasks.py \
	e2e/test_plan_windows.py e2e/test_seeded_bugs.py e2e/test_special_files.py \
	findings/test_following.py \
	gateway/rules/test_rules_answer.py gateway/test_workers.py syntax/test_hostile.py \
	test_patterns.py text/test_live_proposal.py)

test-random: $(STAMP)
	REDLINE_RUNS=4 $(BIN)/python -m pytest --numprocesses auto --dist worksteal \
		$(RANDOM_TESTS) $(PYTEST_ARGS)
	REDLINE_RUNS=4 $(BIN)/python -m pytest --numprocesses auto --dist worksteal \
		-m hypothesis $(addprefix --ignore=,$(RANDOM_TESTS)) $(PYTEST_ARGS)

test-vscode: $(NODE_STAMP)
	$(NODE) npm run --silent check
	$(NODE) npm run --silent test

# Real editors, downloaded by tests/editors/get/ into REDLINE_EDITORS or .editors, and the
# package of the extension, which is installed in them.
editors: package
	PATH="$(CURDIR)/$(BIN):$$PATH" tests/editors/get/get-all

# Failed tests are repeated, since editors are slow on a busy machine; the report shows it.
test-editors: editors
	$(BIN)/python -m pytest tests/editors --numprocesses 2 --dist loadfile --reruns 2 --rerun-show-tracebacks

# Redline against clients and servers of others, hostile files and kills. First,
# tests/outside/get/get-all downloads the programs into REDLINE_OUTSIDE or .outside.
test-outside: $(STAMP)
	PYTHON=$(CURDIR)/$(BIN)/python $(VSCODE)/with-node \
		$(BIN)/python tests/outside/get/get-all
	PYTHON=$(CURDIR)/$(BIN)/python $(VSCODE)/with-node \
		$(BIN)/python -m pytest tests/outside -m "not engines" --numprocesses auto \
		--dist worksteal $(PYTEST_ARGS)

# Redline against the real vLLM on the CPU, and under Ray Serve: 7 GB to download and 5 GB
# of memory, so it is no step of CI.
test-engines: $(STAMP)
	PYTHON=$(CURDIR)/$(BIN)/python tests/outside/get/get-vllm \
		"$${REDLINE_OUTSIDE:-.outside}/vllm"
	$(BIN)/python tests/outside/get/get-all large
	$(BIN)/python -m pytest tests/outside -m engines $(PYTEST_ARGS)

# The pictures of the extension's page: the still ones are from the last run of its tests;
# the animated one is recorded.
pictures: editors
	$(BIN)/python -m tests.editors.vscode.stills
	$(BIN)/python -m tests.editors.vscode.film $(VSCODE)/media/pictures/edit.png

# Pictures for looking, of edits in each theme and width.
gallery: editors
	$(BIN)/python -m tests.editors.vscode.gallery build/pictures/gallery
	$(BIN)/python -m tests.editors.vscode.compare_looks build/pictures/looks

# How fast VS Code paints.
bench-editors: editors
	$(BIN)/python -m tests.editors.vscode.measure_paint

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

# What is published: the source and the wheel that is built from it, checked as the registry
# does, and the extension with that wheel.
package: $(STAMP) $(NODE_STAMP)
	rm -rf dist $(VSCODE)/bundled && mkdir -p dist $(VSCODE)/bundled
	$(BIN)/python -m build --quiet --outdir dist .
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python $(VSCODE)/scripts/bundle-wheel.py dist/*.whl $(VSCODE)/bundled
	$(NODE) npm run --silent package -- --out ../../dist/
	@test $$(cat dist/*.vsix | wc -c) -le 2621440 || \
		{ echo "The package of the extension is larger than 2.5 MB." >&2; exit 1; }

clean:
	rm -rf $(VENV) dist build $(VSCODE)/node_modules $(VSCODE)/dist $(VSCODE)/bundled
