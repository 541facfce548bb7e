# Two commands: `make demo` runs the main job, `make test` passes the tests. Both need only Python 3.11+ and make.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check docs lock benchmarks reproductions clean

demo: $(READY)
	$(BIN)/ludometer demo

test: $(READY) check
	@sh scripts/system-programs.sh
	$(BIN)/pytest -n 2 --dist loadfile --durations=20

check: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python lacks venv; on Debian: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@echo "compiling for this machine, once: about a minute"
	-@$(BIN)/ludometer compile
	@touch $(READY)

# The documentation site, in an environment of its own; build/docs/index.html opens without a network. Its pictures are made
# anew when the program has changed; a browser is used for them where there is one.
docs: .venv-docs/.ready build/screenshots/.ready
	.venv-docs/bin/sphinx-build -b html -W --keep-going -n -q -d build/doctrees docs build/docs
	@echo "open build/docs/index.html"

build/screenshots/.ready: .venv-docs/.ready scripts/make_screenshots.py scripts/run_pages.py $(shell find src -name '*.py' -o -name '*.gz' -o -name '*.css')
	.venv-docs/bin/python scripts/make_screenshots.py build/screenshots
	@touch $@

.venv-docs/.ready: requirements/docs.txt pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/docs.txt
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

# The locks: exact versions with hashes, no download addresses. Needs uv.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --extra dev --output-file requirements/dev.txt pyproject.toml
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --constraint requirements/dev.txt --output-file requirements/benchmarks.txt pyproject.toml requirements/benchmarks.in
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --constraint requirements/dev.txt --output-file requirements/docs.txt pyproject.toml requirements/docs.in

benchmarks: $(READY)
	sh benchmarks/run.sh

# Published tables made again, cell by cell, from the shared data: docs/reproductions.md.
reproductions: $(READY)
	$(BIN)/python -m reproductions --write

clean:
	rm -rf .venv .venv-docs build .mypy_cache .ruff_cache .import_linter_cache
