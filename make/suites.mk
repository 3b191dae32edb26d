# Checks SUITE before anything is built for a suite of tests that does not exist. tests/run checks it again.

test_suites = accel $(patsubst tests/%/,%,$(sort $(dir $(wildcard tests/[a-z]*/test_*.py study/tests/[a-z]*/test_*.py tests/[a-z]*/run))))

.PHONY: known-test-suite
known-test-suite:
	@$(if $(filter-out $(test_suites),$(SUITE)),$(error no suite $(filter-out $(test_suites),$(SUITE)) to test; there are: $(test_suites)))

# The clusters that the suite `synth` maps and compares with their budgets. The wide ones take minutes more, so only
# `make test-full` maps them.
budgeted := $(if $(if $(SUITE),$(filter synth,$(SUITE)),all),budgeted-cluster)
# YoWASP compiles Yosys when it first runs, which takes minutes. It does so in the background, on a core that is idle
# while the Scala side is compiled.
yosys := $(if $(if $(SUITE),$(filter synth,$(SUITE)),all),$(setup_synth) compiled-yosys)
.PHONY: budgeted-cluster compiled-yosys
compiled-yosys: | $(setup_python) $(setup_synth)
	@$(PYTHON) -m synth.yosys >/dev/null 2>&1 </dev/null &
budgeted-cluster: | $(setup_python)
	@machines=$$($(PYTHON) -m synth.budget $(if $(filter test-full,$(MAKECMDGOALS)),--every)) || exit 1; \
	 $(call two_at_a_time,verilog,$$machines)

# The suite `litex` acts as a user of LiteX. Mill generates its cluster before the suites run, because Mill must not run
# twice in one tree, and runs in the suite `accel`.
litex_user := $(if $(if $(SUITE),$(filter litex,$(SUITE)),all),$(setup_litex) litex-cluster)
.PHONY: litex-cluster
litex-cluster: | $(setup_python) $(setup_mill)
	@HEAPWIRE_CACHE=build/litex/clusters $(PYTHON) -m heapwire_litex.cluster --config messages --data-width 32 --memory-mb 64 >/dev/null

# The suite `report` draws figures and runs a part of the workflow.
reporter := $(if $(if $(SUITE),$(filter report,$(SUITE)),all),$(setup_report))

# The suite `unit` generates Verilog while `accel` runs in Mill, so Mill compiles the Scala side before.
scala_classes := $(if $(if $(SUITE),$(filter unit,$(SUITE)),all),scala-classes)
.PHONY: scala-classes
scala-classes: | $(setup_python) $(setup_mill)
	@$(SCALA) --compile

# Makes a target for each item of a list, two at a time. An item is variables, with `,` for blanks.
two_at_a_time = printf '%s\n' $(2) | tr , ' ' | xargs -P 2 -I {} sh -c '$(MAKE) --no-print-directory $(1) {}'

# Builds CONFIG's simulator and those of the list, for the suites that run programs on the simulated SoC. Each item of
# the list is the variables that differ from CONFIG's; only CONFIG's simulator is trained. The caller leaves CONFIG's own
# machine out of the list: two makes in one folder would damage what they build.
simulating := boot debug sim soc
simulators = $(if $(if $(SUITE),$(filter $(simulating),$(SUITE)),all),$(call two_at_a_time,sim,TRAIN=$(TRAIN) $(patsubst %,TRAIN=$(comma)%,$(1))),:)
# The suite `soc` runs Cereal's units in simulators of their own, and simulated boards whose block memories behave like
# an FPGA's (NOISE=1).
soc_sims = $(if $(if $(SUITE),$(filter soc,$(SUITE)),all),$(patsubst %-128,CONFIG=%$(comma)UNIT_CLOCK=1$(comma)DATA_WIDTH=128,$(filter-out $(variant),$(addsuffix -128,$(1)))) $(patsubst %,NOISE=1$(comma)LIKE=%,$(2)))
comma := ,

# The suite `soc` also runs the conformance suite if the runner is available; if not, its test says so and is skipped.
# The runner comes after nanopb, because both steps use apt, which must not run twice at the same time.
.PHONY: conformance-runner
conformance-runner: | setup-debian $(setup_nanopb)
	@$(if $(wildcard $(setup_conformance)),,$(MAKE) --no-print-directory $(setup_conformance) || echo "make: without the conformance runner, whose test is skipped")
runner := $(if $(if $(SUITE),$(filter soc,$(SUITE)),all),conformance-runner)

# The tools of the tests, side by side: setting them up is mostly waiting for the network, and Mill compiles the Scala
# side meanwhile.
.PHONY: test-tools all-test-tools
test-tools: setup-debian
	@$(MAKE) --no-print-directory -j4 SKIP_DEBIAN=1 all-test-tools
all-test-tools: setup $(scala_classes) $(yosys) $(filter $(CACHE)/%,$(litex_user)) $(reporter) $(runner)
	@:

# The machines of suites that have their own.
suites_with_own := cereal skyway sweep
own_machines    := $(addsuffix -machines,$(suites_with_own))
.PHONY: $(own_machines)
$(own_machines): %-machines: | $(setup_python)
	@configs=$$($(PYTHON) -m study.bench.machines $*) || exit 1; for config in $$configs; do $(MAKE) --no-print-directory firmware sim CONFIG=$$config || exit 1; done
