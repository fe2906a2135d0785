# SPDX-License-Identifier: Apache-2.0
# make run    set up, then build the first example: from a request to a measured core with a datasheet
# make test   set up, then the tests; the last lines name each one that was skipped, and the tool that it needs
# make bench  set up, then make every record again by the protocol, and the tables; says how long; resumes; in several
#             processes or machines at a time, each takes its part

VENV := .venv
PY := $(VENV)/bin/python
# python3 where it is new enough, else the newest that is named with its version
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
STAMP := $(VENV)/.installed

# Python keeps bytecode beside its source: what one process has compiled, no other and no later one compiles again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all bench lint clean setup

run: setup
	$(VENV)/bin/modwright build examples/first-csa.yaml --place

test: setup
	$(PY) -m pytest -n 2 --dist loadgroup -m "not campaign"

test-all: setup
	$(PY) -m pytest -n 2 --dist loadgroup -o faulthandler_timeout=7200

bench: setup
	$(PY) bench/again.py

lint: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/pyright

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Modwright needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 3; }
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)

clean:
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis
