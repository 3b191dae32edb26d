# `make test` and `make test-full`: what single suites need beyond the build. tests/run finds the suites and runs them.

# Returns the second argument if one of the suites in the first is wanted.
if_suite = $(if $(if $(SUITE),$(filter $(1),$(SUITE)),all),$(2))
# Makes a target for each item of a list, two at a time. An item is variables, with `,` for blanks.
two_at_a_time = printf '%s\n' $(2) | tr , ' ' | xargs -P 2 -I {} sh -c '$(MAKE) --no-print-directory $(1) {}'
comma := ,

# CONFIG's simulator, trained, and beside it that of the SoC with a MAC for the suite `rpc`, for the suites `jvm` and `soc`
# those of other configurations, and for `soc` those of boards whose block memories behave like an FPGA's (NOISE=1).
# CONFIG's own machine is left out of the others: two makes in one folder would damage what they build.
simulators = $(call if_suite,boot debug examples jvm rpc sim soc study-soc,$(call two_at_a_time,sim,TRAIN=$(if $(TRAIN),1) $(if $(ETHERNET),,$(call if_suite,rpc,ETHERNET=1$(comma)TRAIN=)) $(call if_suite,jvm soc,\
  $(patsubst %-128,TRAIN=$(comma)CONFIG=%$(comma)UNIT_CLOCK=1$(comma)DATA_WIDTH=128,$(filter-out $(variant),$(addsuffix -128,$(1))))) \
  $(call if_suite,soc,$$(printf 'TRAIN=$(comma)NOISE=1$(comma)LIKE=%s ' $(2)))))

.PHONY: test test-full
suites_need := test-tools firmware $(call if_suite,synth,budgeted-cluster) $(call if_suite,litex,litex-cluster)
test: $(suites_need)
	@$(call simulators,skyway-x2,orangecrab-25f)
	@$(PYTHON) tests/run $(SUITE)
test-full: $(suites_need)
	@$(call if_suite,soc study-soc,$(MAKE) --no-print-directory firmware sim UNIT_CLOCK=2)
	@$(call simulators,cereal cereal-x4 cereal-x8 cereal-vanilla skyway-x2,orangecrab-25f $$($(PYTHON) -c 'import boards; print(*boards.boards())'))
	@$(PYTHON) tests/run --full $(SUITE)

# The tools of the tests, side by side: setting them up is mostly waiting for the network, and Mill compiles the Scala
# side meanwhile: the suites `unit` and `proofs` generate Verilog while `accel` runs in Mill.
.PHONY: test-tools all-test-tools scala-classes compiled-yosys conformance-runner pigweed-client
test-tools: setup-debian
	@$(MAKE) --no-print-directory -j4 SKIP_DEBIAN=1 all-test-tools
all-test-tools: setup $(call if_suite,unit upb proofs mutation profile,scala-classes) $(call if_suite,synth,$(setup_synth) compiled-yosys) \
  $(call if_suite,litex,$(setup_litex)) $(call if_suite,report,$(setup_report)) $(call if_suite,study-firmware study-soc upb,$(setup_upb)) $(call if_suite,soc,conformance-runner) $(call if_suite,examples rpc,pigweed-client)
	@:
scala-classes: | $(setup_python) $(setup_mill)
	@mkdir -p build/scala && make/watched scala build/scala/compile.log $(SCALA) --compile
# YoWASP compiles Yosys when it first runs, which takes minutes: in the background, on a core that is idle.
compiled-yosys: | $(setup_python) $(setup_synth)
	@$(PYTHON) -m synth.yosys >/dev/null 2>&1 </dev/null &
# The suite `soc` also runs the conformance suite if the runner is available; if not, its test says so and is skipped.
# The runner comes after nanopb, because both steps use apt, which must not run twice at the same time.
conformance-runner: | setup-debian $(setup_nanopb)
	@$(if $(wildcard $(setup_conformance)),,$(MAKE) --no-print-directory $(setup_conformance) || echo "make: without the conformance runner, whose test is skipped")
# The same goes for Pigweed's client, which the suites `rpc` and `examples` want.
pigweed-client: | setup-debian
	@$(if $(wildcard $(setup_pigweed)),,$(MAKE) --no-print-directory $(setup_pigweed) || echo "make: without Pigweed's client, whose tests are skipped")

# The clusters that the suite `synth` maps and compares with their budgets. The wide ones take minutes more, so only
# test-full maps them.
.PHONY: budgeted-cluster litex-cluster
budgeted-cluster: | $(setup_python)
	@machines=$$($(PYTHON) -m synth.budget $(if $(filter test-full,$(MAKECMDGOALS)),--every)) || exit 1; \
	 $(call two_at_a_time,verilog,$$machines)
# The suite `litex` acts as a user of LiteX. Its cluster is generated before, because Mill must not run twice in one tree,
# and runs in the suite `accel`.
litex-cluster: $(if $(filter test-full,$(MAKECMDGOALS)),wheel) | $(setup_python) $(setup_mill)
	@HEAPWIRE_CACHE=build/litex/clusters $(PYTHON) -m heapwire_litex.cluster --config messages --data-width 32 --memory-mb 64 >/dev/null
