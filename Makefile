# One target per task. A machine with make and Python 3.11 or newer is enough: the first run makes .venv and installs
# into it; later runs install again only if pyproject.toml has changed, and compile only if native/ has.
# Another Python: make test PYTHON=/path/to/python3.12

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
# Modules are compiled to bytecode when they are imported: compiling everything that the tools bring would take half of
# the installation time.
INSTALL := -m pip install --quiet --disable-pip-version-check --no-compile --editable
MINUTES := 60
KERNELS := src/neardup/kernels/lib/kernels-1.so

.DEFAULT_GOAL := help
.PHONY: help demo test torture fuzz check format bench docs plugin versions find-versions clean

help:  ## these lines
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed $(KERNELS)  ## mark the duplicates in the sample stream and show the verdicts
	@rm -rf $(DEMO)/sample.window && mkdir -p $(DEMO)
	@$(BIN)/neardup ingest examples/stream.jsonl --window $(DEMO)/sample.window --format table \
		--output $(DEMO)/verdicts.jsonl --rejects $(DEMO)/rejects.jsonl --force || [ $$? -eq 1 ]
	@echo
	@echo "all verdicts:  $(DEMO)/verdicts.jsonl"
	@echo "rejected:      $(DEMO)/rejects.jsonl"
	@echo "ask the window: $(BIN)/neardup groups --window $(DEMO)/sample.window --format table"

# Tests start hundreds of processes, each of which would compile all modules again if bytecode were not kept.
test: export PYTHONDONTWRITEBYTECODE :=
test: check  ## everything that must pass: check, then the tests, on up to 4 cores (with JDK 21 and Maven, those of Elasticsearch too)
	@$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadgroup

torture: $(VENV)/.installed-dev $(KERNELS)  ## damage, kill and starve windows at random, for up to 60 minutes (with JDK 21 and Maven, on Elasticsearch too)
	@$(BIN)/python -m testing.torture

check: $(VENV)/.installed-dev $(KERNELS)  ## ruff, the formatters of Python and C, and strict mypy
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/clang-format --dry-run --Werror native/*.[ch]
	@$(BIN)/mypy

format: $(VENV)/.installed-dev $(KERNELS)  ## write Python, C and (with JDK 21 and Maven) Java as their formatters have it
	@$(BIN)/ruff format
	@$(BIN)/clang-format -i native/*.[ch]
	@$(BIN)/python -c 'from testing.node.java import write_format; write_format()'

bench: $(VENV)/.installed-bench $(KERNELS)  ## the experiments of benchmarks/ (minutes to hours; benchmarks/README.md)
	@$(BIN)/python -m benchmarks

fuzz: $(VENV)/.installed-fuzz $(KERNELS)  ## fuzz every reader, parser and format, guided by coverage (MINUTES=60, all targets together)
	@$(BIN)/python -m testing.fuzz --minutes $(MINUTES)

docs: $(VENV)/.installed-dev $(KERNELS)  ## write docs/cli.md anew from --help
	@$(BIN)/python scripts/make_cli_reference.py

plugin: $(VENV)/.installed-dev $(KERNELS)  ## build the plugin for a server: make plugin VERSION=9.5.3, or opensearch-3.8.0
	@$(BIN)/python -m testing.node.java $(VERSION)

versions: $(VENV)/.installed-dev $(KERNELS)  ## build it for all of plugin/versions.tsv, run the node tests on each (hours): docs/versions.md
	@$(BIN)/python -m testing.node.every_server

find-versions: $(VENV)/.installed-dev $(KERNELS)  ## say which servers plugin/versions.tsv has not got, and what of them builds
	@$(BIN)/python -m scripts.find_versions

clean:  ## remove what make, the tools and the demo have made
	rm -rf $(VENV) $(DEMO) src/neardup/kernels/lib build dist plugin/target .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests scripts benchmarks -type d -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11 python3.14 python; do \
		if $$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
			echo "making $(VENV) with $$($$python --version) ($$(command -v $$python))" >&2; \
			$$python -m venv --clear $(VENV) && exit 0; \
		fi; \
	done; \
	echo "neardup needs Python 3.11 or newer with the venv module; none was found on PATH" >&2; \
	echo "(Debian, Ubuntu: apt install python3 python3-venv; or: make PYTHON=/path/to/python3.12 ...)" >&2; \
	exit 1

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing neardup into $(VENV) (once)" >&2
	@$(BIN)/python $(INSTALL) .
	@touch $@

$(KERNELS): native/compile_kernels.py $(wildcard native/*.[ch]) | $(BIN)/python
	@echo "compiling the kernels (once)" >&2
	@$(BIN)/python native/compile_kernels.py
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "installing neardup with its test tools into $(VENV) (once)" >&2
	@$(BIN)/python $(INSTALL) '.[test,dev,serve]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	@echo "installing neardup with its benchmark peers into $(VENV) (once)" >&2
	@$(BIN)/python $(INSTALL) '.[test,bench,serve]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-fuzz: pyproject.toml | $(BIN)/python
	@echo "installing neardup with its fuzzer into $(VENV) (once)" >&2
	@$(BIN)/python $(INSTALL) '.[test,fuzz]'
	@touch $@ $(VENV)/.installed
