# Heapwire's entry point: `make help` lists targets and variables. Every target first
# sets up what it needs (make/setup.mk) and builds what it runs on (make/build.mk).
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Steps follow one another, because Mill must not run twice in one tree. Only tools are set up side by side.
ifneq ($(MAKECMDGOALS),all-test-tools)
.NOTPARALLEL:
endif

include tools.env

# Variables: `make <target> NAME=value`. Others, which are rarely needed, are in make/inputs.mk.

CONFIG     ?= default# hardware configuration: tiny, default, full, messages, single, bare; for Cereal: cereal, cereal-vanilla, skyway; parameters may follow, as in cereal-x4-e32 (docs/reference/configurations.md)
DATA_WIDTH ?= 128# width of the memory port in bits
LIKE       ?=# verilog, sim, firmware and targets that use them: a simulated board with the cluster, the memory and the clock of this real board (ulx3s, orangecrab-25f), instead of CONFIG and DATA_WIDTH; ulx3s+stock: with LiteX's own VexRiscv and L2 in the cluster's place
SUITE      ?=# only this suite (empty: all); test: accel or a folder of tests/; bench, report: memory, core, protobuf, heap, cereal, skyway, sweep
SRC        ?=# program: the C files of your own program (my.c, or several between quotes) ...
PROTO      ?=# program: ... the .proto files of its messages; demo: a schema of your own (my.proto or a descriptor set) ...
TYPE       ?=# demo: ... its message type (pkg.Message) ...
DATA       ?=# program: ... and a file whose bytes it reads; demo: ... and a file that holds one encoded message
ELF        ?= build/firmware/$(variant)/exercise.elf# trace, debug: ELF to run
BOARD      ?=# bitstream, load, flash, term, firmware, debug: a board of boards/ (firmware, debug: instead of the simulation)
DEVICE     ?=# bitstream, load, flash, firmware: the part on the board, if the board is sold with several (85F, 45F, 25F; i5, i9)
QUICK      ?=# report: any value measures a part of it, in twenty minutes, into build/report/quick
ARGS       ?=# flags of the command behind a target (below)

include make/inputs.mk make/setup.mk make/flags.mk make/suites.mk make/build.mk make/boards.mk

.PHONY: help format demo program demo-skyway test test-full conformance bench spark report report-page debug area power trace clean

help: ## lists targets and variables
	@make/help "$(with_flags)" Makefile make/*.mk

demo: $(call needs,demo,firmware sim) ## runs real messages through the simulated SoC, hardware beside software; PROTO= TYPE= DATA= for your own
program: $(call needs,program,firmware sim) ## builds a C program of your own, SRC=my.c PROTO=my.proto DATA=file, and runs it on the simulated SoC (docs/start/program.md)
demo-skyway: $(call needs,demo-skyway,firmware sim) ## runs programs that shuffle on two simulated SoCs, joined by a line in lock-step; ARGS="--machines 5 --program jsbs" for several, ARGS=--host for a SoC and a process of this host

test: known-test-suite test-tools firmware $(budgeted) $(litex_user) ## runs the tests, half an hour on two free cores; SUITE= for one suite
	@$(call simulators,$(call soc_sims,skyway-x2,orangecrab-25f))
	@$(PYTHON) tests/run $(SUITE)

test-full: known-test-suite test-tools firmware $(budgeted) $(litex_user) ## runs the tests with the full numbers of random cases (hours)
	@$(if $(if $(SUITE),$(filter soc,$(SUITE)),all),$(MAKE) --no-print-directory firmware sim UNIT_CLOCK=2)
	@$(call simulators,$(call soc_sims,cereal cereal-x4 cereal-x8 cereal-vanilla skyway-x2,orangecrab-25f ulx3s colorlight_i5 ecpix5 tang_nano_20k))
	@$(PYTHON) tests/run --full $(SUITE)

conformance: $(call needs,conformance,firmware sim $(setup_conformance)) ## runs the official protobuf conformance suite, protobuf in and out, against the software twins and the simulated SoC

bench: $(call needs,bench,$(if $(filter-out $(suites_with_own),$(if $(SUITE),$(SUITE),all)),firmware sim) $(patsubst %,%-machines,$(if $(SUITE),$(filter $(suites_with_own),$(SUITE)),$(suites_with_own)))) ## measures, and writes build/bench/<suite>.jsonl and .md; SUITE= for one suite

debug: $(call needs,debug,$(if $(BOARD),setup,firmware sim)) ## starts GDB on the core, through OpenOCD and JTAG: ELF in the simulation, or BOARD=

spark: $(call needs,spark,$(setup_spark) spark-programs) ## runs the papers' programs on Spark, on this machine's JVM, in minutes: build/bench/spark.jsonl; ARGS=--keep makes their records the benches'
.PHONY: spark-programs
spark-programs:
	@$(MAKE) --no-print-directory -C study/java spark JARS=$(abspath $(CACHE)/spark) OUT=$(abspath build/spark)

report: $(call needs,report,$(setup_report)) ## puts every figure of the papers beside ours: measures what is missing, then writes build/report/index.html and study/results/results.md; QUICK=1 in minutes; SUITE= for some suites
	@$(if $(asked),$(run),$(report_alone))
# Makes the page from the rows that exist, even if not everything could be measured.
report_alone = mkdir -p build && exec 9>build/.report && { flock -n 9 || { echo "report: another one runs in this tree. What to do: wait for it" >&2; exit 1; }; } && \
  $(run) || { $(PYTHON) -m $(run_report-page); echo "report: not all was measured (above); what was is on the page. What to do: run make report again, it goes on where it stopped" >&2; exit 1; }

report-page: $(call needs,report-page,$(setup_report)) ## makes the page from the rows that exist, without measuring anything

area: $(call needs,area,verilog $(setup_synth)) ## reports the cost of the modules of CONFIG at DATA_WIDTH (ECP5, Gowin, gates) in build/area; ARGS="--compare REVISION" for the changes since

power: $(setup_synth) ## estimates the relative power of Cereal's units (CONFIG=cereal only) and the energy of serializers from switching in the simulation: build/power
	@$(if $(and $(findstring command,$(origin CONFIG)),$(filter-out cereal,$(CONFIG))),$(error power is told of CONFIG=cereal, not of $(CONFIG)))
	@$(MAKE) --no-print-directory power-machine CONFIG=cereal
.PHONY: power-machine
power-machine: verilog firmware $(TRACE_SIM)
	@$(PYTHON) -m study.power --data-width $(DATA_WIDTH)

trace: $(call needs,trace,firmware $(TRACE_SIM)) ## writes FST waves of a window of ELF's run to build/trace; ARGS="--start 0 --end 50000" in cycles

# What these targets do when all that they need is there.
demo program demo-skyway conformance bench debug spark report-page area trace:
	@$(run)

format: setup ## writes all Scala, C, C++ and Python sources in the project's layout; make test checks it
	@$(VENV)/bin/ruff check --quiet --select I --fix . && $(VENV)/bin/ruff format --quiet .
	@$(VENV)/bin/clang-format -i $(c_sources)
	@$(MILL) accel.reformat + accel.test.reformat >/dev/null
c_sources = $(sort $(shell find docs firmware heapwire_litex sim soc tests -name "*.[ch]" -o -name "*.cpp"))
.PHONY: c-sources
c-sources:
	@echo $(c_sources)

clean: ## removes everything that was built (build, out); downloads stay
	rm -rf build out .snakemake
