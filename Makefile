# `make run` and `make test` each work as the first command after a clone: Python 3.11 with venv and pip, and make.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# One process more than there are cores, because tests wait for servers and browsers; the heavy parts (browser, PostgreSQL,
# object store) are shared by the processes of one run.
JOBS ?= $(shell expr $$(nproc 2>/dev/null || echo 1) + 1)
# Compiled code is kept, whatever the shell says, and out of the tree: a `portal` process starts in a third of the time.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode

.PHONY: run test verify check bench soak wheel sbom audit format pictures translations clean
.DELETE_ON_ERROR:

run: $(VENV)/.run
	@$(BIN)/portal demo --port $(PORT)

test: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@$(BIN)/pytest -q -n $(JOBS) --dist loadgroup

# Slower proof, of which much keeps its core busy; at the end, alone, tests that other work disturbs, or that disturb other tests.
verify: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@$(BIN)/pytest -q -n auto --dist loadgroup -m "verify and not quiet"
	@$(BIN)/pytest -q -m "verify and quiet"

check: $(VENV)/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/djlint --lint --quiet templates
	@$(BIN)/python tools/licences.py
	@$(BIN)/python tools/licences.py requirements/tracing.txt

bench: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@$(BIN)/python -m bench $(ONLY)

# Six and a half hours on two cores: three of the test of memory, one of everything at once on each database. Each part can be made longer or shorter: `make soak CHAOS_SECONDS=60`.
soak: export CRASH_ROUNDS ?= 25
soak: export RESTARTS ?= 200
soak: export CHAOS_SECONDS ?= 1500
soak: export DRILL_SECONDS ?= 1500
soak: export FUZZ_EXAMPLES ?= 60
soak: export SYNC_CHANGES ?= 4000
soak: export CORRUPTED ?= 10000
soak: export MEMORY_SECONDS ?= 10800
soak: export ATTACK_SECONDS ?= 6
soak: export SOAK_SECONDS ?= 3600
soak: export SOAK_FAULT_EVERY ?= 120
soak: export SOAK_REPORT ?= soak
soak: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@$(BIN)/python tools/install_parts.py wapiti
	@$(BIN)/pytest -q -n 2 --dist loadgroup -m soak

# The same commit makes the same bytes, wherever and whenever.
wheel sbom: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1580601600)
wheel: $(VENV)/.run
	@rm -f dist/careers_portal-*
	@$(BIN)/python -m hatchling build -d dist

# What the product consists of, as CycloneDX: programs by their hashes, and the data of others that NOTICE names.
sbom: $(VENV)/.dev
	@mkdir -p dist
	@$(BIN)/python tools/sbom.py dist/careers_portal.cdx.json

# Compares every pin with the vulnerabilities that PyPI knows: by hand, because it needs the internet and the answer changes by itself.
AUDIT := --strict --disable-pip --require-hashes --progress-spinner off
audit: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py pip-audit
	@found=0; for pins in requirements/*.txt; do echo $$pins; $(VENV)/pip-audit/bin/pip-audit $(AUDIT) -r $$pins || found=1; done; exit $$found

format: $(VENV)/.dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

pictures: $(VENV)/.dev
	@$(BIN)/python tools/install_parts.py
	@PORTAL_PICTURES=docs/pictures $(BIN)/pytest -q -m browser tests/browser/test_pictures.py \
		tests/browser/test_a_companys_own_page_shows_the_jobs.py tests/judged/test_pages_match_their_stored_pictures.py \
		tests/judged/test_the_console_is_accessible.py \
		tests/judged/test_hiring_pages_are_accessible.py::test_the_manual_shows_the_pages

# The words of templates and code into every catalogue; what is new stands there without a guess, what is gone goes.
# Then the files that are generated from the languages of the pages.
translations: $(VENV)/.dev
	@$(BIN)/python tools/translations.py
	@$(BIN)/python tools/proxy_pages.py
	@$(BIN)/python tools/country_names.py

$(VENV)/.uv: requirements/build.txt
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt
	@touch $@

# What is said in each language is compiled by the install (hatch_build.py).
$(VENV)/.run: $(VENV)/.uv requirements/run.txt pyproject.toml hatch_build.py $(wildcard portal/translations/*/LC_MESSAGES/messages.po)
	@$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python --require-hashes -r requirements/run.txt
	@$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	@$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python --require-hashes -r requirements/dev.txt
	@touch $@

clean:
	@rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache
