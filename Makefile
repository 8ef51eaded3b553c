# Everything goes through .venv: made when it is missing, left alone while pyproject.toml has not changed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# torch first and by itself: on a machine without a GPU you may have put a (smaller) CPU build there already.
TORCH ?= torch==2.13.0
# One place for runs, also for notebooks, whose kernels work in the folder of the notebook.
export KIT_RUNS ?= $(CURDIR)/runs

.PHONY: run lab test test-long notebooks lint bench clean

run: $(STAMP)  ## fine-tune the bundled model on the shipped data; exit 0 only if it learnt
	$(BIN)/kit run smollm2-qlora --must-learn

lab: $(STAMP)  ## the course in JupyterLab
	$(BIN)/jupyter lab notebooks

test: $(STAMP)  ## lint, unit tests, nano notebooks (minutes)
	$(MAKE) lint
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2
	KIT_FAST=1 KIT_STATIC=1 $(BIN)/python -m pytest --nbmake --nbmake-timeout=300 notebooks/*.ipynb
	KIT_FAST=1 KIT_STATIC=1 KIT_STRICT=1 $(BIN)/python -m pytest --nbmake --nbmake-timeout=300 notebooks/solutions/*.ipynb

test-long: $(STAMP)  ## the bundled model, kills, storms, peers (tens of minutes)
	mkdir -p runs && $(BIN)/python -m pytest -m real --timeout=3600 --junitxml=runs/long.xml; code=$$?; \
	$(BIN)/python tests/long_table.py runs/long.xml tests/long_runs.md; exit $$code

notebooks: $(STAMP)  ## learner notebooks, executed solutions and instructor notes from notebooks/source
	$(BIN)/python notebooks/build.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(STAMP)  ## this kit against TRL on the same job
	$(BIN)/python tests/benchmarks/bench_training.py

clean:  ## forget runs and caches, keep the environment
	rm -rf runs build dist .pytest_cache .mypy_cache .ruff_cache

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip show --quiet torch 2>/dev/null || $(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --editable ".[lab,test]"
	touch $(STAMP)
