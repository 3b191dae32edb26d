# Heapwire's front door: `make help` lists targets and variables. Every target
# sets up what it needs first (make/setup.mk) and builds what it runs on
# (make/build.mk).
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

include tools.env

# Variables: `make <target> NAME=value`.

CONFIG     ?= default# hardware configuration: tiny, default, full; messages (default without field instructions), single (full with one engine), bare (without format units); of Cereal: cereal, cereal-x2, -x4, -x8 (so many units each way), cereal-vanilla (its ablation); skyway, skyway-x2 (cereal with the modes of Skyway, one and two of each unit)
DATA_WIDTH ?= 128# bits of the memory port
UNIT_CLOCK ?= 1# the units run at the system's clock divided by 1 or 2 (verilog, sim, firmware and what runs on them; a board has its own)
LIKE       ?=# verilog, sim, firmware and what runs on them: a simulated board with the cluster, the memory and the clock of this real one (ulx3s, orangecrab-25f), in the place of the three above
STOCK      ?=# sim, firmware, bench with LIKE: anything, for LiteX's own VexRiscv and L2 in the place of the cluster (SUITE=core: nanopb there)
SUITE      ?=# bench, test: only this suite (empty: all)
PROTO      ?=# demo: a schema of your own (my.proto or a descriptor set) ...
TYPE       ?=# demo: ... its message type (pkg.Message) ...
DATA       ?=# demo: ... and a file that holds one encoded message
SECOND     ?=# demo-skyway: host for a process of this host in the place of the second SoC
SERIALIZERS ?=# demo-skyway: by these, of skyway-sw kryo-manual kryo-generic java cereal-sw hw skyway-hw (the last two: CONFIG=skyway, which has units for them; empty: the first two)
WORDS      ?=# demo-skyway: so many words are counted (empty: 200)
VERTICES   ?=# demo-skyway: so many vertices have the graphs (empty: 24)
CLASS_LIST ?=# classes: a list of your own Java classes ...
CLASS_PATH ?=# classes: ... and the folders and jars they are in, `:` between
ELF        ?= build/firmware/$(variant)/memory.elf# trace, debug: ELF to run
LOAD       ?=# debug: files that are in the simulation's memory from the start, ADDRESS=FILE ...
BOARD      ?=# bitstream, load, flash, term, firmware, debug: a board of boards/ (firmware, debug: in the place of the simulation)
DEVICE     ?=# bitstream, load, flash: the part on the board, where it is sold with several (85F, 45F, 25F; i5, i9)
SEEDS      ?= 3# bitstream: seeds of place and route to try until the timing is met; area: with FMAX, of so many the one in the middle (if nothing is said, the first)
PROG       ?= openfpgaloader# load, flash: openfpgaloader or openocd
CABLE      ?=# load, flash, debug: which cable, of several: serial number or place
PORT       ?=# term: serial port (empty: the one that looks like the board's)
KERNEL     ?=# term: program to send to the boot ROM (monitor.bin)
START      ?= 0# trace: first cycle of the window
END        ?= 200000# trace: last cycle of the window
COMPARE    ?=# area: a revision to compare with
FMAX       ?=# area: how fast the units are alone, placed and routed (minutes to an hour each): 1 for all, or names, `,` between
BUDGET     ?=# area: anything, to renew the budgets of CONFIG at DATA_WIDTH (synth/budgets.json) in the place of a report
SPARK      ?=# report with QUICK or SUITE: anything, for Spark's programs as well (whole reports have them)
KEEP       ?=# spark: anything, to make the captured records those of the benches (host/heapwire/bench/objects/captured)
QUICK      ?=# report: anything, for a part of it in twenty minutes, into build/report/quick
WIDTHS     ?= 128# report: widths of the memory port ...
CLOCKS     ?= 1# report: ... and dividers of the units' clock, of which each suite is measured on each
BOARDS     ?=# report: simulated boards besides, whose memories and configurations are theirs (ulx3s, or ulx3s+stock for LiteX's own CPU)
CORES      ?= all# report: how many cores of this machine it may use
WORKFLOW   ?=# report: more flags of Snakemake, such as --executor slurm --jobs 20 (docs/cluster.md)
TRAIN      ?= 1# sim: empty for a simulator that is not trained: slower, built in half the time
NOISE      ?=# sim: anything, for memories that give noise where a read meets a write, as FPGAs may
CACHE      ?= .cache# downloads and tools
VENV       ?= .venv# Python environment

include make/inputs.mk make/setup.mk make/suites.mk make/build.mk make/boards.mk

.PHONY: help demo demo-skyway test test-full conformance bench spark report report-page debug area power trace clean

help: ## list targets and variables
	@make/help Makefile make/*.mk

demo: firmware sim ## real messages through the simulated SoC, hardware beside software; PROTO= TYPE= DATA= for your own
	@$(PYTHON) -m heapwire demo $(if $(PROTO),--proto "$(PROTO)") $(if $(TYPE),--type "$(TYPE)") $(if $(DATA),--data "$(DATA)")

demo-skyway: known-demo-skyway firmware sim ## programs that shuffle on two simulated SoCs, joined by a line in lock-step; SECOND=host for a SoC and a process of this host
	@$(PYTHON) -m heapwire demo-skyway $(if $(SECOND),--host) $(foreach name,$(SERIALIZERS),--serializer $(name)) $(if $(WORDS),--words $(WORDS)) $(if $(VERTICES),--vertices $(VERTICES))

test: known-test-suite $(yosys) firmware $(budgeted) $(litex_user) $(reporter) $(unit_classes) $(runner) ## the tests, some fifty minutes on two cores; SUITE= for one suite
	@$(call simulators,$(call soc_sims,skyway-x2,orangecrab-25f ulx3s))
	@$(PYTHON) tests/run $(SUITE)

test-full: known-test-suite $(yosys) firmware $(budgeted) $(litex_user) $(reporter) $(unit_classes) $(runner) ## the counts the project promises (hours)
	@$(if $(if $(SUITE),$(filter soc,$(SUITE)),all),$(MAKE) --no-print-directory firmware sim UNIT_CLOCK=2)
	@$(call simulators,$(call soc_sims,cereal cereal-x4 cereal-x8 cereal-vanilla skyway-x2,orangecrab-25f ulx3s colorlight_i5 ecpix5 tang_nano_20k))
	@$(PYTHON) tests/run --full $(SUITE)

conformance: firmware sim $(setup_conformance) ## the official protobuf conformance suite, protobuf in and out, against the software twins and the simulated SoC
	@$(PYTHON) -m heapwire.conformance.run $(CACHE)/conformance

bench: known-bench-suite $(if $(filter-out cereal skyway,$(if $(SUITE),$(SUITE),all)),firmware sim) $(if $(if $(SUITE),$(filter cereal,$(SUITE)),all),cereal-machines) $(if $(if $(SUITE),$(filter skyway,$(SUITE)),all),skyway-machines) ## measure: build/bench/<suite>.jsonl and .md; SUITE= for one suite
	@$(if $(and $(SUITE),$(if $(filter-out cereal skyway,$(SUITE)),,1)),CONFIG=cereal) $(PYTHON) -m heapwire bench $(SUITE)

debug: $(if $(BOARD),setup,firmware sim) ## GDB at the core by OpenOCD and JTAG: ELF in the simulation, or BOARD=
	@$(PYTHON) -m heapwire debug $(if $(BOARD),--board "$(BOARD)" $(if $(findstring command,$(origin ELF)),--elf "$(ELF)") $(if $(CABLE),--cable "$(CABLE)"),--elf "$(ELF)" $(foreach load,$(LOAD),--load "$(load)"))

spark: $(setup_python) $(setup_spark) ## the papers' programs by Spark on this machine's JVM, in minutes: build/bench/spark.jsonl; KEEP=1 for their records as graphs of the benches
	@$(MAKE) --no-print-directory -C host/java/spark JARS=$(abspath $(CACHE)/spark) OUT=$(abspath build/spark)
	@$(PYTHON) -m heapwire.bench.spark --jars $(CACHE)/spark $(if $(KEEP),--keep)

report: known-bench-suite $(setup_report) ## every figure of the papers beside ours: measures what is missing, then build/report/index.html and docs/results.md; QUICK=1 in minutes; SUITE= for some suites
	@mkdir -p build && exec 9>build/.report && { flock -n 9 || { echo "report: another one runs in this tree. What to do: wait for it" >&2; exit 1; }; } && \
	  $(PYTHON) -m snakemake --snakefile workflow/Snakefile --nolock --cores $(CORES) --keep-going --rerun-incomplete --quiet rules $(WORKFLOW) --config \
	  $(if $(QUICK),quick=1) $(if $(SUITE),suites="$(SUITE)") widths="$(WIDTHS)" clocks="$(CLOCKS)" $(if $(BOARDS),boards="$(BOARDS)") $(if $(SPARK),spark=1) || \
	  { $(report_page); echo "report: not all was measured (above); what was is on the page. What to do: run make report again, it goes on where it stopped" >&2; exit 1; }

# The page of what there is, if not all could be measured.
report_page = $(PYTHON) -m heapwire.report $(if $(QUICK),--bench build/report/quick/bench --output build/report/quick/index.html $(if $(wildcard build/report/quick/cuts.json),--cuts build/report/quick/cuts.json),--markdown docs/results.md)
report-page: $(setup_report) ## the page of the rows there are, without measuring anything
	@$(report_page)

area: verilog $(setup_synth) $(if $(COMPARE),compared-area) ## what the modules of CONFIG at DATA_WIDTH cost (ECP5, Gowin, gates): build/area; COMPARE=revision for what changed
	@$(PYTHON) -m synth --config $(variant) $(if $(BUDGET),--budget,$(if $(FMAX),--fmax "$(patsubst 1,all,$(FMAX))" $(if $(findstring command,$(origin SEEDS)),--seeds "$(SEEDS)")) $(if $(COMPARE),--compare $(compared)))

power: $(setup_synth) ## relative power of Cereal's units (CONFIG=cereal, no other), and energy of serializers, by switching in the simulation: build/power
	@$(if $(and $(findstring command,$(origin CONFIG)),$(filter-out cereal,$(CONFIG))),$(error power is told of CONFIG=cereal, not of $(CONFIG)))
	@$(MAKE) --no-print-directory power-machine CONFIG=cereal
.PHONY: power-machine
power-machine: verilog firmware $(TRACE_SIM)
	@$(PYTHON) -m synth.power --data-width $(DATA_WIDTH)

trace: firmware $(TRACE_SIM) ## FST waves of cycles START to END of ELF, in build/trace
	@$(PYTHON) -m sim.trace --image "$(ELF)" --start $(START) --end $(END)

clean: ## remove what was built (build, out); downloads stay
	rm -rf build out .snakemake
