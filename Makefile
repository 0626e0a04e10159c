# Needs make and Python 3.11 or newer; everything else comes pinned, with hashes, into .venv.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
RUN    := $(VENV)/run-installed
DEV    := $(VENV)/dev-installed
EXTRAS := --extra charts --extra duckdb --extra fast --extra postgres --extra print --extra site
LOCK   := $(BIN)/uv pip compile --quiet --no-config --generate-hashes --no-annotate \
            --python-version 3.11 --universal \
            --custom-compile-command "make lock" $(UPGRADE) pyproject.toml

FAST   := tests/core tests/house tests/bridge tests/facts/checks/test_checks.py \
            tests/facts/test_cells.py tests/points/test_awards.py tests/points/test_rankings.py \
            tests/points/test_master_points.py tests/journal/store/test_entries.py \
            tests/lists/publication/test_rules.py \
            "tests/structure/test_structure.py::test_structure_is_as_it_was[options]"

# One process more than cores: tests wait for servers and browsers, and others work meanwhile.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

# Tests start hundreds of processes; without kept bytecode each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check fast torture lint types browser bench docs package catalogues witness defects coverage house lock clean

help: ## show this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(RUN) ## the tour: real reports in, rankings out, explained
	@$(BIN)/palmares demo

test: lint types browser ## everything that must hold: lint, types, tests, coverage
	$(BIN)/pytest --cov --numprocesses=$(WORKERS) --dist=loadfile --max-worker-restart=0
	@$(BIN)/coverage report --fail-under=100 >$(VENV)/coverage.txt \
	  || { cat $(VENV)/coverage.txt; echo "A regulation has a line or a branch that no test runs."; exit 1; }

check: $(DEV) ## lint, types and a fast core of the tests, between commits
	@$(MAKE) --no-print-directory --jobs=2 --keep-going --output-sync=target types lint fast

fast: $(DEV)
	$(BIN)/pytest --quiet $(FAST)

torture: $(DEV) ## all of what the tests try one per cent of: fuzz, compare, kill, damage
	PALMARES_PERCENT=100 $(BIN)/pytest -s --timeout=7200 \
	  $$(grep -rlE "tests.amounts|ONE_BY_ONE|(copy|journal)_url" tests --include="test_*.py") \
	  tests/browser/test_pages.py tests/journal

lint: $(DEV) ## style, and which room may import which
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo --no-cache

types: $(DEV) ## mypy, strict
	$(BIN)/mypy --num-workers=2

browser:  # what some tests drive; without it they fail, and say what to install
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update \
	    && apt-get -qq install -y chromium fonts-dejavu-core; } || true

bench: $(DEV) ## measure, beside loops by hand and other libraries (PART="points vp": some of it)
	$(BIN)/python benchmarks/run.py $(PART)

docs: $(DEV) ## build/docs, warnings are errors
	rm -rf docs/reference/python
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs build/docs

package: $(DEV) ## build dist/: the wheel and the source archive
	$(BIN)/python -m hatchling build

catalogues: $(DEV) ## every message of the site into its catalogues, translations kept
	$(BIN)/python -m docs.catalogues

witness: $(DEV) ## change every number of every sheet: does a test notice?
	$(BIN)/python tests/witness.py

lock: $(DEV) ## pin what pyproject.toml asks for (UPGRADE=--upgrade: the newest)
	$(LOCK) --group build $(EXTRAS) --output-file requirements/run.lock
	$(LOCK) --group dev --extra all --constraints requirements/run.lock --output-file requirements/dev.lock

defects: $(DEV) ## seed thirty defects, one at a time: does a test notice? (ROOMS="core web": some)
	$(BIN)/python -m tests.defects $(ROOMS)

coverage: $(DEV) ## lines and branches of all of src that the tests run, room by room (half an hour)
	$(BIN)/python -m tests.covered $(TESTS)

house: $(DEV) ## measure the house: statements, lines, floors, circles, private words
	@$(BIN)/python -m tests.house.measures

clean: ## remove what was built
	rm -rf $(VENV) build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Palmares needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "This Python cannot make an environment. On Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The locks name every package with its dependencies, so pip resolves nothing anew (--no-deps).
$(RUN): $(VENV)/pyvenv.cfg requirements/run.lock pyproject.toml
	@echo "Installing the pinned libraries into $(VENV) (once, a minute or so) ..."
	@$(PIP) install --no-deps --require-hashes --requirement requirements/run.lock
	@$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(DEV): $(RUN) requirements/dev.lock
	@echo "Installing the pinned tools into $(VENV) (once, a minute or so) ..."
	@$(PIP) install --no-deps --require-hashes --requirement requirements/dev.lock
	@$(PIP) check
	@touch $@
