# `make run` and `make test` each work as the first command after a clone: Python 3.11 with venv and pip, and make.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# Tests use what the machine has; the heavy parts (browser, PostgreSQL, object store) are shared by the processes of one run.
JOBS ?= auto
# Compiled code is kept, whatever the shell says, and out of the tree: a `portal` process starts in a third of the time.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode

.PHONY: run test check bench crash chaos format pictures clean
.DELETE_ON_ERROR:

run: $(VENV)/.run
	@$(BIN)/portal demo --port $(PORT)

test: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@$(BIN)/pytest -q -n $(JOBS) --dist loadgroup

check: $(VENV)/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/djlint --lint --quiet templates

bench: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@$(BIN)/python -m bench $(ONLY)

crash: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@CRASH_ROUNDS=20 $(BIN)/pytest -q -n 2 --dist loadgroup tests/delivery/test_a_crash_loses_nothing.py

chaos: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@CHAOS_SECONDS=600 $(BIN)/pytest -q -n 2 --dist loadgroup tests/delivery/test_chaos_loses_nothing.py

format: $(VENV)/.dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

pictures: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@PORTAL_PICTURES=docs/pictures $(BIN)/pytest -q tests/browser/test_pictures.py

$(VENV)/.uv: requirements/build.txt
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt
	@touch $@

$(VENV)/.run: $(VENV)/.uv requirements/run.txt pyproject.toml
	@$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python --require-hashes -r requirements/run.txt
	@$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	@$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@touch $@

clean:
	@rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache
