# The names that SUITE may have, looked at before anything is built for a suite
# that does not exist. tests/run and `heapwire bench` check again.

test_suites  = accel $(patsubst tests/%/,%,$(sort $(dir $(wildcard tests/[a-z]*/test_*.py tests/[a-z]*/run))))
bench_suites = $(shell sed -nE 's/^SUITES = \((.*)\)$$/\1/p' host/heapwire/bench/run.py | tr -d '",')

.PHONY: known-test-suite known-bench-suite
known-test-suite known-bench-suite: known-%-suite:
	@$(if $(filter-out $($*_suites),$(SUITE)),$(error no suite $(filter-out $($*_suites),$(SUITE)) to $*; there are: $($*_suites)))

# What the suite `synth` maps, against its budgets: generated before the suites run, as Mill is not to run twice in one tree. The
# wide ones take minutes more: in `make test-full` alone.
budgeted := $(if $(if $(SUITE),$(filter synth,$(SUITE)),all),budgeted-cluster)
# YoWASP compiles Yosys when it first runs, for minutes: meanwhile, on a core that has nothing to do while the Scala side is compiled.
yosys := $(if $(if $(SUITE),$(filter synth,$(SUITE)),all),$(setup_python) $(setup_synth) compiled-yosys)
.PHONY: budgeted-cluster compiled-yosys
compiled-yosys:
	@$(PYTHON) -m synth.yosys >/dev/null 2>&1 </dev/null &
budgeted-cluster:
	@for variant in $(shell sed -nE 's/^ "([a-z]+)-($(if $(filter test-full,$(MAKECMDGOALS)),[0-9]+,32))": .*/CONFIG=\1,DATA_WIDTH=\2/p' synth/budgets.json); do \
	  $(MAKE) --no-print-directory verilog $${variant/,/ } UNIT_CLOCK=1 || exit 1; done

# The suite `litex` is a user of LiteX, whose cluster is generated before, too.
litex_user := $(if $(if $(SUITE),$(filter litex,$(SUITE)),all),$(setup_litex) litex-cluster)
.PHONY: litex-cluster
litex-cluster: | $(setup_python) $(setup_mill)
	@HEAPWIRE_CACHE=build/litex/clusters $(PYTHON) -m heapwire_litex.cluster --config messages --data-width 32 --memory-mb 64 >/dev/null

# The suite `report` draws, and runs a part of the workflow.
reporter := $(if $(if $(SUITE),$(filter report,$(SUITE)),all),$(setup_report))

# The suite `unit` generates Verilog while `accel` runs in Mill: what needs Mill for that is done before.
unit_classes := $(if $(if $(SUITE),$(filter unit,$(SUITE)),all),unit-classes)
.PHONY: unit-classes
unit-classes: | $(setup_python) $(setup_mill)
	@$(PYTHON) -m sim.unit.build

# The simulators that the suites run, each as what tells it from the one of CONFIG, with `,` for blanks; all but that one are not
# trained. Generated one after another, as Mill is not to run twice in one tree, and compiled two at a time. What CONFIG and DATA_WIDTH
# name already is left out: two makes in one folder would damage what they build.
simulators = for each in $(1); do $(MAKE) --no-print-directory verilog $${each//,/ } || exit 1; done; \
  printf '%s\n' TRAIN=$(TRAIN) $(patsubst %,TRAIN=$(comma)%,$(1)) | tr , ' ' | xargs -P 2 -I {} sh -c '$(MAKE) --no-print-directory sim {}'
# Suite `soc` runs Cereal's units in simulators of their own, and simulated boards, whose block memories are as an FPGA's.
soc_sims = $(if $(if $(SUITE),$(filter soc,$(SUITE)),all),$(patsubst %-128,CONFIG=%$(comma)UNIT_CLOCK=1$(comma)DATA_WIDTH=128,$(filter-out $(variant),$(addsuffix -128,$(1)))) $(patsubst %,NOISE=1$(comma)LIKE=%,$(2)))
comma := ,

# It runs the conformance suite, too, if the runner can be had: its test says so if not.
.PHONY: conformance-runner
conformance-runner: | setup-debian
	@$(if $(wildcard $(setup_conformance)),,$(MAKE) --no-print-directory $(setup_conformance) || echo "make: without the conformance runner, whose test is skipped")
runner := $(if $(if $(SUITE),$(filter soc,$(SUITE)),all),conformance-runner)

# The machines that the suite `cereal` measures, each with its simulator (host/heapwire/bench/cereal.py).
cereal_configs := cereal cereal-vanilla cereal-x2 cereal-x4 cereal-x8
.PHONY: cereal-machines
cereal-machines:
	@for config in $(cereal_configs); do $(MAKE) --no-print-directory firmware sim CONFIG=$$config || exit 1; done

# The machines of the suite `skyway`: its own, and the one that measures its peers (host/heapwire/bench/skyway.py).
skyway_configs := cereal skyway
.PHONY: skyway-machines
skyway-machines:
	@for config in $(skyway_configs); do $(MAKE) --no-print-directory firmware sim CONFIG=$$config || exit 1; done
