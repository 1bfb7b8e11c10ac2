# One word for every task. A machine with make and Python 3.11 or newer is enough: the first run makes .venv
# and installs into it; later runs install again only when pyproject.toml has changed.
# Another Python: make test PYTHON=/path/to/python3.12

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
MINUTES := 60

.DEFAULT_GOAL := help
.PHONY: help demo test torture fuzz check format bench docs plugin versions find-versions clean

help:  ## these lines
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed  ## mark the duplicates in the sample stream and show the verdicts
	@rm -rf $(DEMO)/sample.window && mkdir -p $(DEMO)
	@$(BIN)/neardup ingest examples/stream.jsonl --window $(DEMO)/sample.window --format table \
		--output $(DEMO)/verdicts.jsonl --rejects $(DEMO)/rejects.jsonl --force || [ $$? -eq 1 ]
	@echo
	@echo "all verdicts:  $(DEMO)/verdicts.jsonl"
	@echo "rejected:      $(DEMO)/rejects.jsonl"
	@echo "ask the window: $(BIN)/neardup groups --window $(DEMO)/sample.window --format table"

test: check  ## everything that must pass: check, then the tests, on up to 4 cores (with JDK 21 and Maven, those of Elasticsearch too)
	@$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadgroup

torture: $(VENV)/.installed-dev  ## damage, kill and starve windows at random, for up to 60 minutes (with JDK 21 and Maven, on Elasticsearch too)
	@$(BIN)/python -m testing.torture

check: $(VENV)/.installed-dev  ## ruff, its formatter and strict mypy
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

format: $(VENV)/.installed-dev  ## write Python and (with JDK 21 and Maven) Java as their formatters have it
	@$(BIN)/ruff format
	@$(BIN)/python -c 'from testing.node.java import write_format; write_format()'

bench: $(VENV)/.installed-bench  ## the experiments of benchmarks/ (minutes to hours; benchmarks/README.md)
	@$(BIN)/python -m benchmarks

fuzz: $(VENV)/.installed-fuzz  ## fuzz every reader, parser and format, guided by coverage (MINUTES=60, all targets together)
	@$(BIN)/python -m testing.fuzz --minutes $(MINUTES)

docs: $(VENV)/.installed-dev  ## write docs/cli.md anew from --help
	@$(BIN)/python scripts/make_cli_reference.py

plugin: $(VENV)/.installed-dev  ## build the plugin for a server: make plugin VERSION=9.5.3, or opensearch-3.6.0
	@$(BIN)/python -m testing.node.java $(VERSION)

versions: $(VENV)/.installed-dev  ## build it for all of plugin/versions.tsv, run the node tests on each (hours): docs/versions.md
	@$(BIN)/python -m testing.node.every_server

find-versions: $(VENV)/.installed-dev  ## say which servers plugin/versions.tsv has not got, and what of them builds
	@$(BIN)/python -m scripts.find_versions

clean:  ## remove what make, the tools and the demo have made
	rm -rf $(VENV) $(DEMO) build dist plugin/target .mypy_cache .pytest_cache .ruff_cache .hypothesis
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
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@echo "compiling its kernels (once)" >&2
	@sh docker/compile_kernels.sh $(BIN)/neardup examples/stream.jsonl
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	@echo "installing neardup with its test tools into $(VENV) (once)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,dev,serve]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	@echo "installing neardup with its benchmark peers into $(VENV) (once)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,bench,serve]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-fuzz: pyproject.toml | $(BIN)/python
	@echo "installing neardup with its fuzzer into $(VENV) (once)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test,fuzz]'
	@touch $@ $(VENV)/.installed
