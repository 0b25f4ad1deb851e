# `make demo` and `make test` each work alone on a fresh machine with make and
# Python >= 3.11: what they need is installed into .venv first. `make` lists all.

PYTHON ?= python3

# Container images set it, and each of the tests' hundreds of processes would compile Python anew.
unexport PYTHONDONTWRITEBYTECODE

# What the demo runs, every flag of it.
DEMO         := build/demo
DEMO_PRIOR   := $(DEMO)/latin-square.parquet
DEMO_LEARN   := learn latin-square --instances 2000 --out $(DEMO_PRIOR)
DEMO_COMPARE := compare latin-square --order 40 --instances 30 --playouts 20000 \
	--algorithm sampling --prior none,$(DEMO_PRIOR) --threads 2 --out $(DEMO)/report

VENV  := .venv
BIN   := $(VENV)/bin
READY := $(VENV)/.ready
UV    := $(shell command -v uv 2>/dev/null)

# What commands and tests import.
PACKAGES := solver pipeline generators flows
IMPORTED := numba numpy llvmlite pandas pyarrow matplotlib scipy rich pygments jinja2 RNA pytest _pytest

.PHONY: help demo warm man wheel test test-fast test-plain test-plain-sample browser-test commands lint bench docs lock clean tests-alone

help:
	@echo "make demo   learn a Latin square prior, compare with and without it, write a report"
	@echo "make warm   compile all problems and games once, on all cores, for what comes next"
	@echo "make man    manual pages of the commands in build/man/"
	@echo "make wheel  a wheel in dist/ with machine code for machines like this one"
	@echo "make test   lint, then the tests: what continuous integration runs"
	@echo "make test-fast   half of the tests, after each edit: some 40 s once they are compiled"
	@echo "make test-plain  the same half with Numba as it is; test-plain-sample, a little of it"
	@echo "make browser-test   the report and the page of RNA design in a headless Chromium, if there is one"
	@echo "make commands   every command of the documentation, with small budgets"
	@echo "make lint   ruff, mypy and import-linter"
	@echo "make bench  speed of the kernels (pytest-benchmark)"
	@echo "make docs   the documentation as a site in build/site/html, every link checked"
	@echo "make lock   resolve the dependencies again into requirements.lock (needs uv)"
	@echo "make clean  remove .venv and everything else that is built"

demo: $(READY)
	@mkdir -p $(DEMO)
	$(BIN)/$(DEMO_LEARN)
	$(BIN)/$(DEMO_COMPARE)

warm: $(READY)
	$(BIN)/python -m pipeline.commands.warm

# In a folder of its own: nobody else needs what makes manual pages.
man: $(READY) build/man/library/.ready
	PYTHONPATH=build/man/library $(BIN)/python docs/site/manual.py build/man

build/man/library/.ready: docs/site/manual.txt
	$(BIN)/python -m pip install --quiet --no-deps --require-hashes --upgrade --target build/man/library -r docs/site/manual.txt
	@touch $@

wheel: man
	$(BIN)/python -m pipeline.commands.warm --portable build/machine_code
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

# One worker per core; a file's tests stay together, and so do the kernels that they compile. Files
# come in the order of tests/conftest.py. A worker that dies ends the tests: pytest-xdist 3.8 waits
# for ever after it has replaced one of these.
WORKERS := --numprocesses auto --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# What lint says is printed as it comes.
test: $(READY)
	@$(MAKE) --no-print-directory --jobs 2 lint tests-alone

tests-alone: $(READY)
	$(BIN)/pytest $(WORKERS)

# Half of the tests, for after each edit: of every room what is quick (tests/conftest.py). 70 s of processor time
# once compiled, some 40 s on two idle cores; a first run compiles for minutes.
test-fast: $(READY)
	$(BIN)/pytest $(WORKERS) -m "not slow"

# The same with Numba as it is, where every process compiles anew; PLAIN=PATHS runs other tests.
PLAIN := tests -m "not slow"
# A nested search, dead ends and the rules of Latin squares: 20 s of processor time.
PLAIN_SAMPLE := tests/solver/kernels/test_policy.py tests/solver/domains/latin_square/test_domain.py \
	tests/solver/searching/test_search.py::test_threads_do_not_change_the_answer_of_the_toy

test-plain: $(READY)
	NESTOR_PLAIN=1 $(BIN)/pytest $(WORKERS) $(PLAIN)

test-plain-sample: $(READY)
	NESTOR_PLAIN=1 $(BIN)/pytest $(WORKERS) $(PLAIN_SAMPLE)

# REPORT=docs/report/report.html looks at that one in place of a small new one; SCREENSHOTS=FOLDER
# keeps pictures of the page.
browser-test: $(READY)
	$(BIN)/pytest tests/browser

# `make test` only reads them. Some 10 minutes on one core, longer before `make warm`; missing corpora are downloaded.
commands: $(READY)
	$(BIN)/pytest --numprocesses auto tests/docs/run_commands_of_pages.py

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/pytest benchmarks --benchmark-only

# In an environment of its own: nobody else needs what builds a site.
docs: build/site/venv/.ready
	build/site/venv/bin/python docs/site/build.py
	@echo "build/site/html/index.html"

build/site/venv/.ready: docs/site/requirements.txt
	$(PYTHON) -m venv build/site/venv
	build/site/venv/bin/python -m pip install --quiet -r docs/site/requirements.txt
	@touch $@

# One file for Python 3.11 and later on every platform, with no address in it.
# Versions already locked are kept where they fit; for the newest: make lock UPGRADE=--upgrade
lock:
	@test -n "$(UV)" || { echo "make lock needs uv on the PATH" >&2; exit 1; }
	"$(UV)" pip compile --quiet --generate-hashes --universal --python-version 3.11 --all-extras \
		--no-emit-index-url --custom-compile-command "make lock" $(UPGRADE) \
		pyproject.toml -o requirements.lock

# Everything comes from the lock, its hashes checked, the build backend too: the
# project itself is then installed without resolving or fetching anything.
# --no-compile: pip would spend half its time on bytecode of modules never imported; that of the
# packages that are is made on all cores, for those who start commands where none is written.
# --no-deps: the lock is complete, and pip's resolver takes extras for packages without a pin.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Nestor needs Python >= 3.11; '$(PYTHON)' is older or missing. Name another: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; \
		exit 1; }
ifneq ($(UV),)
	@echo "Setting up $(VENV) with uv"
	@"$(UV)" venv --quiet --allow-existing --python "$(PYTHON)" $(VENV)
	@"$(UV)" pip sync --quiet --require-hashes --python $(BIN)/python requirements.lock
	@"$(UV)" pip install --quiet --no-deps --no-build-isolation --python $(BIN)/python -e .
else
	@echo "Setting up $(VENV) with pip; this takes about a minute"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --no-compile --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
endif
	@$(BIN)/python -m compileall -q -j 0 -x '/tests?/' $(PACKAGES) \
		$(IMPORTED:%=$(VENV)/lib/python*/site-packages/%)
	@touch $@

# .benchmarks stays: runs that someone chose to keep.
clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage htmlcov
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
