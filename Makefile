# Everything a developer or CI runs. `make` alone lists the targets.
# Needed beforehand: make and Python 3.11, 3.12 or 3.13 (another interpreter: make setup PYTHON=/path/to/python3.12).

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
SHELL := /bin/sh

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
STEP := @printf '\n== %s\n'
# CI repeats the same examples; `make test PROFILE=deep` searches longer.
PROFILE ?= $(if $(CI),ci,dev)
PYTEST := $(BIN)/python -m pytest --hypothesis-profile=$(PROFILE)
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--custom-compile-command 'make lock' $(if $(UPGRADE),--upgrade)
INSTALL := --quiet --no-deps --require-hashes

# Cheapest first. Every test file lives in one of these folders.
SUITES := domain contracts project stages browser engine broker cli runtime deploy services
# Those of real processes run together: three files at a time, each on a broker of its own, since most of them wait.
# Not the browser's: Playwright has an event loop of its own for as long as its process lives.
REAL := engine broker cli runtime deploy services

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: $(VENV)/.project ## make .venv and install the locked packages and Elowire into it

$(VENV)/.python:
	$(STEP) "setup: environment"
	@for candidate in '$(PYTHON)' python3 python3.13 python3.12 python3.11; do \
		if "$$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then \
			echo "$$candidate: $$("$$candidate" --version)"; \
			"$$candidate" -m venv --clear $(VENV) && touch $@ && exit 0; \
			echo "Could not make $(VENV) with $$candidate: install its venv module (on Debian: python3-venv) and try again." >&2; \
			exit 1; \
		fi; \
	done; \
	echo "Elowire needs Python 3.11, 3.12 or 3.13, and '$(PYTHON)' is: $$('$(PYTHON)' --version 2>&1)." >&2; \
	echo "Name one that fits: make setup PYTHON=/path/to/python3.12" >&2; \
	exit 1

# uv installs in seconds what takes pip a minute; pip stays for machines whose mirror only pip knows.
$(VENV)/.packages: requirements/installer.txt requirements/dev.txt $(VENV)/.python
	$(STEP) "setup: locked packages"
	@$(PIP) install $(INSTALL) -r requirements/installer.txt
	@$(BIN)/uv pip install --python $(BIN)/python --link-mode copy $(INSTALL) -r requirements/dev.txt || \
		$(PIP) install $(INSTALL) -r requirements/dev.txt
	@touch $@

$(VENV)/.project: pyproject.toml $(VENV)/.packages
	$(STEP) "setup: elowire"
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: demo
demo: setup ## replay a real championship and compare with FIDE's list
	@$(BIN)/elowire demo

CHECKS := format rules imports types dependencies spelling yaml
RUN_format := $(BIN)/ruff format --check .
RUN_rules := $(BIN)/ruff check .
RUN_imports := $(BIN)/lint-imports --no-logo
RUN_types := $(BIN)/mypy
RUN_dependencies := $(BIN)/deptry services
RUN_spelling := $(BIN)/codespell
RUN_yaml := $(BIN)/yamllint --strict .

.PHONY: lint
lint: setup $(CHECKS:%=lint-%) ## format, rules, imports, types, dependencies, spelling, YAML

.PHONY: $(CHECKS:%=lint-%)
$(CHECKS:%=lint-%): lint-%: setup
	$(STEP) "lint: $*"
	@$(RUN_$*)

.PHONY: format
format: setup ## put the code into its form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

.PHONY: test
test: setup lint $(patsubst %,test-%,$(filter-out $(REAL),$(SUITES))) test-real ## lint, then the whole suite, cheapest first
	$(STEP) "test: all steps passed"

COVERAGE := --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100
OPTIONS_domain := --cov=elowire.domain $(COVERAGE)
OPTIONS_contracts := --cov=elowire.contracts $(COVERAGE)
# Minutes of made-up requests, with a target of its own: test-openapi.
OPENAPI := tests/services/ingest_http/test_any_request.py::test_schemathesis_finds_nothing
OPTIONS_services := --deselect $(OPENAPI)
WORKERS ?= 3
PARALLEL := --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder
PARALLEL_stages := $(PARALLEL)
# Test by test: one file of the browser's is longer than all others, and no test needs the one before it.
PARALLEL_browser := --numprocesses $(WORKERS) --dist worksteal

.PHONY: $(SUITES:%=test-%)
$(SUITES:%=test-%): test-%: setup
	$(STEP) "test: $*"
	@$(PYTEST) tests/$* $(OPTIONS_$*) $(PARALLEL_$*) || \
		{ [ $* = browser ] && echo "== again: what failed" && $(PYTEST) --last-failed tests/$*; }

# Tests start dozens of brokers, each in half the time once Java has noted what Kafka loads.
$(VENV)/.quick-start: $(VENV)/.project
	$(STEP) "setup: quick starts of Kafka"
	@$(BIN)/python -m elowire.runtime.embedded.quick_start
	@touch $@

test-broker test-cli test-runtime test-deploy test-browser test-services test-real: $(VENV)/.quick-start

# What failed is printed, and tried once more alone, since a busy machine can be late.
.PHONY: test-real
test-real: setup chromium
	$(STEP) "test: real processes"
	@$(PYTEST) $(wildcard $(REAL:%=tests/%)) $(OPTIONS_services) $(PARALLEL) || \
		{ echo "== again: what failed"; $(PYTEST) --last-failed $(wildcard $(REAL:%=tests/%)) $(OPTIONS_services); }

# Pages are looked at with Chromium, in the widths of a font that they name. Where root and apt are at hand (CI,
# containers) both are installed; elsewhere they are asked for.
.PHONY: chromium
test-browser: chromium
chromium:
	@if ! find tests/browser -name 'test_*.py' 2>/dev/null | grep -q . || \
		{ command -v chromium >/dev/null && find /usr/share/fonts -name 'NotoSans-Regular*' 2>/dev/null | grep -q .; }; then \
		:; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		printf '\n== %s\n' "setup: Chromium"; \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
			chromium fonts-noto-core >/dev/null; \
	else \
		echo "The browser tests need Chromium and Noto Sans: install your system's packages chromium and fonts-noto-core and try again." >&2; \
		exit 1; \
	fi

# Rules are checked with Prometheus itself, which is installed where Chromium would be.
.PHONY: prometheus
test-deploy test-fast test-real: prometheus
prometheus:
	@if command -v promtool >/dev/null && command -v prometheus >/dev/null; then \
		:; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		printf '\n== %s\n' "setup: Prometheus"; \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends prometheus >/dev/null; \
	else \
		echo "The tests of deploy/ need Prometheus: install the package prometheus of your system and try again." >&2; \
		exit 1; \
	fi

.PHONY: test-openapi
test-openapi: setup ## minutes of made-up requests against the OpenAPI document
	@$(PYTEST) $(OPENAPI)

# No steps of `make test`: whether Faust has changed, and what takes many minutes.
APART := upstream cluster alerts
.PHONY: test-upstream
test-upstream: setup ## see on a real broker that the faults of Faust which the engine works around are still there
	@$(PYTEST) tests/upstream

.PHONY: test-fast
test-fast: setup ## every test that needs no broker
	$(STEP) "test: without a broker"
	@$(PYTEST) -m "not broker" tests

.PHONY: test-cluster
test-cluster: setup ## the product on three nodes that are killed and cut off (minutes)
	$(STEP) "test: cluster"
	@$(PYTEST) tests/cluster

.PHONY: test-alerts
test-alerts: setup prometheus ## bring every alert about on the real thing, watched by Prometheus (less than 20 minutes)
	$(STEP) "test: alerts"
	@$(PYTEST) tests/alerts

.PHONY: mutants
mutants: setup ## change the regulations one place at a time: a test must notice (MODULES="editions tables")
	@$(BIN)/python -m tests.mutants $(MODULES)

.PHONY: bench
bench: setup ## speed and memory on a real broker, beside others (ONLY="peers latency")
	@$(BIN)/python -m tests.bench $(if $(ONLY),--only $(ONLY))

.PHONY: soak
soak: setup ## one fault after another on a real broker (HOURS=2 SEED=1)
	@$(BIN)/python -m tests.bench.soak --hours $(or $(HOURS),2) --seed $(or $(SEED),1)

.PHONY: schemas
schemas: setup ## write schemas/ anew from the models
	@$(BIN)/python -m elowire.contracts.schemas schemas

.PHONY: dist
dist: setup ## build wheel and sdist into dist/
	$(STEP) "dist"
	@rm -rf dist
	@$(BIN)/python -m hatchling build --target sdist --target wheel
	@ls -l dist

# An environment of its own: what audits is not what is audited. Asks the registry for known vulnerabilities.
AUDIT := build/audit
LICENSES := Apache;BSD;ISC;MIT;MPL;PSF;Python Software Foundation;Repoze Public License;Unlicense;Zlib;CC0;0BSD
.PHONY: audit
audit: setup ## SBOM (dist/sbom.json), licences and known vulnerabilities of what the image has
	$(STEP) "audit: environment"
	@rm -rf $(AUDIT) && mkdir -p $(AUDIT) dist
	@$(BIN)/uv venv --quiet --python $(BIN)/python $(AUDIT)/tools
	@$(BIN)/uv venv --quiet --python $(BIN)/python $(AUDIT)/image
	@$(BIN)/uv pip install --python $(AUDIT)/tools/bin/python $(INSTALL) -r requirements/audit.txt
	@$(BIN)/uv pip install --python $(AUDIT)/image/bin/python $(INSTALL) -r requirements/runtime.txt
	$(STEP) "audit: SBOM"
	@$(AUDIT)/tools/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --of JSON \
		-o dist/sbom.json $(AUDIT)/image/bin/python
	$(STEP) "audit: licences"
	@$(AUDIT)/tools/bin/pip-licenses --python $(AUDIT)/image/bin/python --from mixed --order license --partial-match --allow-only '$(LICENSES)'
	$(STEP) "audit: vulnerabilities"
	@$(AUDIT)/tools/bin/pip-audit --requirement requirements/runtime.txt --require-hashes --disable-pip --strict --progress-spinner off

.PHONY: manifests
manifests: setup ## write what Kubernetes gets from the code anew: topics, users, rules
	@$(BIN)/python -m tests.deploy.manifests

.PHONY: lock
lock: setup ## write the locks anew from pyproject.toml (newest versions: UPGRADE=1)
	$(STEP) "lock: installer"
	@$(LOCK) --group pyproject.toml:installer --output-file requirements/installer.txt
	$(STEP) "lock: runtime"
	@$(LOCK) pyproject.toml --output-file requirements/runtime.txt
	$(STEP) "lock: embedded"
	@$(LOCK) pyproject.toml --extra embedded --constraint requirements/runtime.txt --output-file requirements/embedded.txt
	$(STEP) "lock: build"
	@$(LOCK) --group pyproject.toml:build --output-file requirements/build.txt
	$(STEP) "lock: audit"
	@$(LOCK) --group pyproject.toml:audit --output-file requirements/audit.txt
	$(STEP) "lock: peers"
	@$(LOCK) --group pyproject.toml:peers --output-file requirements/peers.txt
	$(STEP) "lock: dev"
	@$(LOCK) pyproject.toml --extra embedded --group dev --constraint requirements/embedded.txt --constraint requirements/installer.txt \
		--constraint requirements/build.txt \
		--output-file requirements/dev.txt

.PHONY: lock-kafka
lock-kafka: setup ## write the locks of the broker's jars and of the bench's anew
	@$(BIN)/python -m elowire.runtime.embedded.relock requirements/kafka-jars.in > $(VENV)/kafka-jars.lock
	@cat $(VENV)/kafka-jars.lock > requirements/kafka-jars.lock
	@$(BIN)/python -m elowire.runtime.embedded.relock requirements/peers-jars.in > $(VENV)/peers-jars.lock
	@cat $(VENV)/peers-jars.lock > requirements/peers-jars.lock
