# Two commands do everything on a fresh Debian-like machine: make evaluate, make test.
.PHONY: evaluate setup wheel generated check check-python check-native test test-all bench evidence campaign clean help

# One worker has all tests with guests, the others those that need none (tests/lanes.py).
PYTEST = .venv/bin/python -m pytest -n $$(($$(nproc) + $(MORE))) --maxprocesses 4 --dist loadscope --durations=40
# One more than there are processors: many tests wait, for a guest or a time limit.
MORE = 1
# Of all tests those with guests take longest, and the guests the longer the more works beside them.
test-all: MORE = 0

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

evaluate: setup ## set-up, then measure what a guest costs on this machine
	.venv/bin/assay evaluate quick

setup: ## system packages, .venv, the probe, the chain
	@tools/setup

wheel: setup ## a wheel with the native programs inside, and those of packages/, in build/wheel
	rm -rf build/wheel
	.venv/bin/pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w build/wheel . ./packages/*

generated: ## write anew what is made from the code: contracts, golden files, docs/factors.md; look at the difference
	@tools/setup test
	.venv/bin/python tools/schemas
	.venv/bin/python tools/factor-docs
	REGENERATE=1 $(PYTEST) -q -m 'not live and not long' tests/scenes tests/report tests/results tests/platforms/guests \
	  tests/workloads/test_output_tables.py

check: ## style, types, layers
	@tools/setup test
	@$(MAKE) --no-print-directory -j2 check-python check-native

check-python:
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/lint-imports

check-native:
	tools/cargo fmt --manifest-path probe/Cargo.toml --all --check
	tools/cargo clippy --quiet --manifest-path probe/Cargo.toml --workspace --all-targets --locked -- -D warnings

test: ## set-up, then all tests but the long ones
	@tools/setup test
	$(PYTEST) -m 'not long'

test-all: ## set-up, then all tests, on from where a run was cut off; a few live ones that failed run again alone
	@tools/setup test
	$(PYTEST) -p tests.passed || .venv/bin/python -m tests.again $$?
	@rm -f build/tests-passed.jsonl

bench: ## what the probe costs, beside psutil (docs/bench.md); the goals at its top by OPTIONS=--table
	@tools/setup test
	.venv/bin/python -m bench $(OPTIONS)

evidence: ## what the methods are held to, written to docs/evidence; PARTS='quick', PARTS='precision verdicts'
	@tools/setup test
	.venv/bin/python -m evidence $(PARTS)

campaign: ## what is too long for tests: PART=mutants ROOM=stats, PART=kills ROOM=host, PART=fuzz; resumable
	@tools/setup campaign
	.venv/bin/python -m campaign $(PART) $(addprefix --room ,$(ROOM)) $(if $(N),--count $(N)) $(OPTIONS)

clean: ## remove what was built in this checkout
	rm -rf .venv build probe/target src/assay/probe/bin src/assay/report/bin src/assay/workloads/bin
