# make test sets up everything it needs and runs every check; make demo shows the system at work.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.ready
DOCS := $(VENV)/.ready-for-docs
# One selection of packages for all that is built for tests: with another, dependencies would be built again.
TESTED := --release --workspace --exclude stablevar-bench --lib --bins

.PHONY: fuzz kills memory test docs figures-check licences deny lint test-rust test-python test-versions generate compiled lean wheel demo release bench bench-stages results clean

test: lint test-rust test-python

demo:
	cargo run --release -- demo

lint: $(STAMP)
	cargo fmt --all -- --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/pyright --pythonpath $(VENV)/bin/python
	$(VENV)/bin/python python/check_notebooks.py
	$(VENV)/bin/python docs/check_links.py
	$(VENV)/bin/python python/third_party.py --check

# Optimised: the tests repeat the paper's experiments.
# The tests on real data fetch them with this Python's pip; without a network they skip and say so.
test-rust: $(STAMP)
	PYTHON=$(abspath $(VENV)/bin/python) cargo test $(TESTED) --tests
	cargo test --release --workspace --exclude stablevar-bench --doc

# What the tests do in short, at length: a million inputs that nobody would write, a hundred kills, the peak memory of every method
# that streams on five kinds of tables.
fuzz:
	cargo run --release -p stablevar-fuzz -- csv --inputs 400000
	cargo run --release -p stablevar-fuzz -- parquet arrow --inputs 200000
	cargo run --release -p stablevar-fuzz -- model --inputs 190000
	cargo run --release -p stablevar-fuzz -- options --inputs 12000

kills:
	STABLEVAR_KILLS=100 cargo test $(TESTED) --test all killed:: -- --nocapture

memory:
	STABLEVAR_LONG=1 cargo test $(TESTED) --test all memory:: -- --nocapture

# The answers that the Rust tests compare with are what scikit-learn computes; then the package itself, beside the command
# line. Both are what cargo has built already; `make wheel` tests the package as it is installed.
test-python: $(STAMP) compiled
	$(VENV)/bin/python crates/stablevar/tests/fixtures/make.py --check
	PYTHONPATH=python $(VENV)/bin/python python/generate.py --check
	PYTHONPATH=python STABLEVAR=$(abspath target/release/stablevar) $(VENV)/bin/python -m pytest -q -n auto

# The Python classes and the pages of the docs that the core's tables decide, after a change of those tables.
generate: $(STAMP) compiled
	PYTHONPATH=python $(VENV)/bin/python python/generate.py

# The documentation site in target/site, warnings as errors and every link looked at; open target/site/index.html.
docs: $(DOCS) compiled
	$(VENV)/bin/python docs/check_links.py
	$(VENV)/bin/python docs/build.py target/release/stablevar

# Names the tables of README and docs that an older version of their code made, with the commands that make them anew.
figures-check:
	$(PYTHON) python/figures.py

# Licences of the crates that are built in, after a change of dependencies.
licences: $(STAMP)
	$(VENV)/bin/python python/third_party.py

# Licences, known faults, second copies and sources of dependencies (deny.toml), where cargo-deny is installed; known faults are
# looked up in a database that has to be fetched.
deny:
	@command -v cargo-deny >/dev/null || { echo "cargo-deny is not installed: cargo install --locked cargo-deny"; exit 1; }
	cargo deny --workspace check bans licenses sources
	cargo deny --workspace check advisories

# The program, and the compiled module where the package looks for it.
compiled:
	cargo build --quiet $(TESTED)
	cp target/release/libstablevar_python.$(if $(filter Darwin,$(shell uname)),dylib,so) python/stablevar/_core.abi3.so

# The core by itself without threads; with the target installed, `make lean TARGET='--target wasm32-unknown-unknown'`.
lean:
	cargo check -p stablevar --lib --no-default-features $(TARGET)

# The wheel, and its tests once more against it in an environment of its own, with the newest versions of all it needs.
wheel: $(STAMP)
	$(VENV)/bin/maturin build --release --out dist
	cargo build --release --bins
	$(PYTHON) -m venv --clear .venv-wheel
	.venv-wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl -r requirements-dev.txt
	STABLEVAR=$(abspath target/release/stablevar) .venv-wheel/bin/python -m pytest -q

# The same with the oldest versions that the package claims.
test-versions: wheel
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check \
		"numpy==1.24.*" "scikit-learn==1.6.0" "pandas<2.2" "scipy<1.14" "matplotlib<3.9" pytest dist/*.whl
	STABLEVAR=$(abspath target/release/stablevar) .venv-oldest/bin/python -m pytest -q

# Speed, memory and scale beside peers and limits, in one run: prints the tables and makes docs/performance.md.
bench: $(STAMP) release
	$(VENV)/bin/python python/benches/performance.py

# Speed of every stage by itself, of networks, of the Python package beside the command line, and accuracy beside peers.
bench-stages: $(STAMP) release
	cargo bench -p stablevar-bench
	cargo run --release -p stablevar-bench --example growth
	cargo run --release -p stablevar-bench --example evidence
	$(VENV)/bin/python crates/stablevar-bench/benches/network_speed.py
	$(VENV)/bin/python python/benches/overhead.py
	$(VENV)/bin/python python/benches/peers.py

# The program, the examples that benchmarks run, and the package in the virtual environment, as users have them.
release: $(STAMP)
	cargo build --release --bins
	cargo build --release -p stablevar-bench --examples
	VIRTUAL_ENV=$(abspath $(VENV)) $(VENV)/bin/maturin develop --quiet --release

# The paper's experiments anew, for docs/results.md: twenty minutes on two cores.
results:
	cargo run --release -- reproduce all --seeds 10 --out stablevar-results
	cp stablevar-results/results.md docs/results.md
	mkdir -p docs/figures
	cp stablevar-results/figures/* docs/figures/

$(STAMP): requirements-dev.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $(STAMP)

$(DOCS): requirements-docs.txt $(STAMP)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	touch $(DOCS)

clean:
	cargo clean
	rm -rf $(VENV) .venv-wheel .venv-oldest .venv-newest dist
