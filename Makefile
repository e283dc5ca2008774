# Needs GNU make and Python 3.11 or newer; everything else is installed into .venv.

PYTHON ?= python3
# The port of the app; empty: Streamlit's own choice, 8501 or the next free one.
PORT ?=
# Where the app can be reached from: this computer only, unless told otherwise.
ADDRESS ?= localhost
# Which PyTorch goes into the image: cpu or cuda.
TORCH ?= cpu
# Passed on to tools/image.py, for example: make image IMAGE_ARGS="--engine podman"
IMAGE_ARGS ?=
# Passed on to pytest, for example: make test PYTEST_ARGS="-k rope -x"
PYTEST_ARGS ?=

VENV_PYTHON := .venv/bin/python

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test check format bench image image-check setup-run setup-dev setup-again clean

help: ## Show this list
	@echo "Usage: make TARGET"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '%-14s %s\n' "$$name" "$$text"; done

run: setup-run ## Set up what is missing and open the app (PORT=8502, ADDRESS=0.0.0.0)
	@headless=""; \
	if [ "$$(uname -s)" = Linux ] && [ -z "$$DISPLAY" ] && [ -z "$$WAYLAND_DISPLAY" ]; then \
		headless="--server.headless true"; \
	fi; \
	exec $(VENV_PYTHON) -m streamlit run app.py --server.address $(ADDRESS) --browser.serverAddress localhost \
		$(if $(filter localhost 127.0.0.1 ::1,$(ADDRESS)),--server.maxUploadSize 512) \
		$(if $(PORT),--server.port $(PORT)) $$headless

test: setup-dev check ## Run the checks and every test except the benchmarks
	@$(VENV_PYTHON) -m pytest --ignore=tests/benchmarks --numprocesses=auto --maxprocesses=4 --dist=loadscope --no-loadscope-reorder $(PYTEST_ARGS)

check: setup-dev ## Check formatting, lint rules and types
	@$(VENV_PYTHON) -m ruff format --check .
	@$(VENV_PYTHON) -m ruff check .
	@$(VENV_PYTHON) -m mypy

format: setup-dev ## Format the code and apply safe lint fixes
	@$(VENV_PYTHON) -m ruff check --fix-only --quiet .
	@$(VENV_PYTHON) -m ruff format .

bench: setup-dev ## Run the benchmarks
	@$(VENV_PYTHON) -m tests.benchmarks

image: ## Build the container image mha_viz (TORCH=cuda for NVIDIA cards)
	@$(PYTHON) -m tools.image build --torch $(TORCH) $(IMAGE_ARGS)

image-check: setup-dev ## Build the image, start it, and look at its pages
	@$(VENV_PYTHON) -m tools.image check --build --torch $(TORCH) $(IMAGE_ARGS)

setup-run: ## Create .venv with what the app needs
	@$(PYTHON) tools/setup.py run

setup-dev: ## Create .venv with what the app, tests and checks need
	@$(PYTHON) tools/setup.py dev

setup-again: ## Forget the finished set-up and do it anew
	@rm -f .venv/.stamp-run .venv/.stamp-dev
	@$(PYTHON) tools/setup.py run

clean: ## Remove .venv and everything that tools have left
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis test-results build dist *.egg-info .bench
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
