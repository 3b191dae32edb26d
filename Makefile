# Heapwire's entry point: `make help` lists targets and variables. Every target first
# sets up what it needs (make/setup.mk) and builds what it runs on (make/build.mk).
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

include tools.env

# Variables: `make <target> NAME=value`.

CONFIG     ?= default# hardware configuration: tiny, default, full; messages (default without field instructions), single (full with one engine), bare (no format units); for Cereal: cereal, cereal-x2, -x4, -x8 (2, 4, 8 units in each direction), cereal-vanilla (the paper's ablation); skyway, skyway-x2 (cereal with Skyway's modes, one and two of each unit)
DATA_WIDTH ?= 128# width of the memory port in bits
UNIT_CLOCK ?= 1# the units run at the system's clock divided by 1 or 2 (verilog, sim, firmware and targets that use them; a board has its own divider)
LIKE       ?=# verilog, sim, firmware and targets that use them: a simulated board with the cluster, the memory and the clock of this real board (ulx3s, orangecrab-25f), instead of the three variables above
STOCK      ?=# sim, firmware, bench with LIKE: any value replaces the cluster by LiteX's own VexRiscv and L2 (SUITE=core measures nanopb there)
SUITE      ?=# bench, test: only this suite (empty: all)
SRC        ?=# program: the C files of your own program (my.c, or several between quotes) ...
PROTO      ?=# program: ... the .proto files of its messages; demo: a schema of your own (my.proto or a descriptor set) ...
TYPE       ?=# demo: ... its message type (pkg.Message) ...
DATA       ?=# program: ... and a file whose bytes it reads; demo: ... and a file that holds one encoded message
MAX_CYCLES ?=# program: cycles after which a program that has not ended is stopped (empty: 50,000,000, some two minutes)
SECOND     ?=# demo-skyway: `host` runs a process of this host instead of the second SoC
SERIALIZERS ?=# demo-skyway: serializers to run, of skyway-sw kryo-manual kryo-generic java cereal-sw hw skyway-hw (the last two need CONFIG=skyway, which has their units; empty: the first two)
WORDS      ?=# demo-skyway: number of words to count (empty: 200)
VERTICES   ?=# demo-skyway: number of vertices of the graphs (empty: 24)
CLASS_LIST ?=# classes: a list of your own Java classes ...
CLASS_PATH ?=# classes: ... and the folders and jars that hold them, separated by `:`
ELF        ?= build/firmware/$(variant)/memory.elf# trace, debug: ELF to run
LOAD       ?=# debug: files to preload into the simulation's memory, ADDRESS=FILE ...
BOARD      ?=# bitstream, load, flash, term, firmware, debug: a board of boards/ (firmware, debug: instead of the simulation)
DEVICE     ?=# bitstream, load, flash: the part on the board, if the board is sold with several (85F, 45F, 25F; i5, i9)
SEEDS      ?= 3# bitstream: number of place-and-route seeds to try until the timing is met; area with FMAX: number of seeds, of which the median counts (unset: the first seed alone)
PROG       ?= openfpgaloader# load, flash: openfpgaloader or openocd
CABLE      ?=# load, flash, debug: the cable, if there are several: serial number or place
PORT       ?=# term: serial port (empty: the port that looks like the board's)
KERNEL     ?=# term: program to send to the boot ROM (monitor.bin)
START      ?= 0# trace: first cycle of the window
END        ?= 200000# trace: last cycle of the window
COMPARE    ?=# area: a revision to compare with
FMAX       ?=# area: also place and route units alone and report their frequency (minutes to an hour each): 1 for all units, or names separated by `,`
BUDGET     ?=# area: any value renews the budgets of CONFIG at DATA_WIDTH (synth/budgets.json) instead of writing a report
SPARK      ?=# report with QUICK or SUITE: any value adds Spark's programs (whole reports have them)
KEEP       ?=# spark: any value makes the captured records those of the benches (host/heapwire/bench/objects/captured)
QUICK      ?=# report: any value measures a part of it, in twenty minutes, into build/report/quick
WIDTHS     ?= 128# report: widths of the memory port ...
CLOCKS     ?= 1# report: ... and dividers of the units' clock; each suite is measured at each combination
BOARDS     ?=# report: additional simulated boards, with their own memories and configurations (ulx3s, or ulx3s+stock for LiteX's own CPU)
CORES      ?= all# report: number of this machine's cores to use
WORKFLOW   ?=# report: additional flags for Snakemake, such as --executor slurm --jobs 20 (docs/howto/cluster.md)
TRAIN      ?= 1# sim: empty builds a simulator without training: slower, but built in half the time
NOISE      ?=# sim: any value makes memories return noise where a read meets a write, as FPGAs may
CACHE      ?= .cache# downloads and tools
VENV       ?= .venv# Python environment

include make/inputs.mk make/setup.mk make/suites.mk make/build.mk make/boards.mk

.PHONY: help demo program demo-skyway test test-full conformance bench spark report report-page debug area power trace clean

help: ## lists targets and variables
	@make/help Makefile make/*.mk

demo: $(if $(PROTO)$(TYPE)$(DATA),known-message) firmware sim ## runs real messages through the simulated SoC, hardware beside software; PROTO= TYPE= DATA= for your own
	@$(run_demo)
run_demo = $(PYTHON) -m heapwire demo $(if $(PROTO),--proto "$(PROTO)") $(if $(TYPE),--type "$(TYPE)") \
  $(if $(DATA),--data "$(DATA)")

# Parses a message of one's own before anything is built for it.
.PHONY: known-message
known-message: $(setup_python)
	@$(run_demo) --parse-only

program: known-program firmware sim ## builds a C program of your own, SRC=my.c PROTO=my.proto DATA=file, and runs it on the simulated SoC (docs/start/program.md)
	@$(run_program)
run_program = $(PYTHON) -m heapwire program $(foreach file,$(SRC),"$(file)") $(foreach file,$(PROTO),--proto "$(file)") \
  $(if $(DATA),--data "$(DATA)") $(if $(MAX_CYCLES),--max-cycles "$(MAX_CYCLES)")

# Looks whether the files of a program are there and fit together before anything is built for it.
.PHONY: known-program
known-program: $(setup_python)
	@$(run_program) --check-only

demo-skyway: known-demo-skyway firmware sim ## runs programs that shuffle on two simulated SoCs, joined by a line in lock-step; SECOND=host for a SoC and a process of this host
	@$(PYTHON) -m heapwire demo-skyway $(if $(SECOND),--host) $(foreach name,$(SERIALIZERS),--serializer $(name)) $(if $(WORDS),--words $(WORDS)) $(if $(VERTICES),--vertices $(VERTICES))

test: known-test-suite $(yosys) firmware $(budgeted) $(litex_user) $(reporter) $(unit_classes) $(runner) ## runs the tests, some fifty minutes on two cores; SUITE= for one suite
	@$(call simulators,$(call soc_sims,skyway-x2,orangecrab-25f ulx3s))
	@$(PYTHON) tests/run $(SUITE)

test-full: known-test-suite $(yosys) firmware $(budgeted) $(litex_user) $(reporter) $(unit_classes) $(runner) ## runs the tests with the full numbers of random cases (hours)
	@$(if $(if $(SUITE),$(filter soc,$(SUITE)),all),$(MAKE) --no-print-directory firmware sim UNIT_CLOCK=2)
	@$(call simulators,$(call soc_sims,cereal cereal-x4 cereal-x8 cereal-vanilla skyway-x2,orangecrab-25f ulx3s colorlight_i5 ecpix5 tang_nano_20k))
	@$(PYTHON) tests/run --full $(SUITE)

conformance: firmware sim $(setup_conformance) ## runs the official protobuf conformance suite, protobuf in and out, against the software twins and the simulated SoC
	@$(PYTHON) -m heapwire.conformance.run $(CACHE)/conformance

suites_with_own = cereal skyway sweep
bench: known-bench-suite $(if $(filter-out $(suites_with_own),$(if $(SUITE),$(SUITE),all)),firmware sim) $(patsubst %,%-machines,$(if $(SUITE),$(filter $(suites_with_own),$(SUITE)),$(suites_with_own))) ## measures, and writes build/bench/<suite>.jsonl and .md; SUITE= for one suite
	@$(if $(and $(SUITE),$(if $(filter-out $(suites_with_own),$(SUITE)),,1)),CONFIG=cereal) $(PYTHON) -m heapwire bench $(SUITE)

debug: $(if $(BOARD),setup,firmware sim) ## starts GDB on the core, through OpenOCD and JTAG: ELF in the simulation, or BOARD=
	@$(PYTHON) -m heapwire debug $(if $(BOARD),--board "$(BOARD)" $(if $(findstring command,$(origin ELF)),--elf "$(ELF)") $(if $(CABLE),--cable "$(CABLE)"),--elf "$(ELF)" $(foreach load,$(LOAD),--load "$(load)"))

spark: $(setup_python) $(setup_spark) ## runs the papers' programs on Spark, on this machine's JVM, in minutes: build/bench/spark.jsonl; KEEP=1 makes their records the benches'
	@$(MAKE) --no-print-directory -C host/java/spark JARS=$(abspath $(CACHE)/spark) OUT=$(abspath build/spark)
	@$(PYTHON) -m heapwire.bench.spark --jars $(CACHE)/spark $(if $(KEEP),--keep)

report: known-bench-suite $(setup_report) ## puts every figure of the papers beside ours: measures what is missing, then writes build/report/index.html and docs/results.md; QUICK=1 in minutes; SUITE= for some suites
	@mkdir -p build && exec 9>build/.report && { flock -n 9 || { echo "report: another one runs in this tree. What to do: wait for it" >&2; exit 1; }; } && \
	  $(PYTHON) -m snakemake --snakefile workflow/Snakefile --nolock --cores $(CORES) --keep-going --rerun-incomplete --quiet rules $(WORKFLOW) --config \
	  $(if $(QUICK),quick=1) $(if $(SUITE),suites="$(SUITE)") widths="$(WIDTHS)" clocks="$(CLOCKS)" $(if $(BOARDS),boards="$(BOARDS)") $(if $(SPARK),spark=1) || \
	  { $(report_page); echo "report: not all was measured (above); what was is on the page. What to do: run make report again, it goes on where it stopped" >&2; exit 1; }

# Makes the page from the rows that exist, even if not everything could be measured.
report_page = $(PYTHON) -m heapwire.report $(if $(QUICK),--bench build/report/quick/bench --output build/report/quick/index.html $(if $(wildcard build/report/quick/cuts.json),--cuts build/report/quick/cuts.json),--markdown docs/results.md)
report-page: $(setup_report) ## makes the page from the rows that exist, without measuring anything
	@$(report_page)

area: verilog $(setup_synth) $(if $(COMPARE),compared-area) ## reports the cost of the modules of CONFIG at DATA_WIDTH (ECP5, Gowin, gates) in build/area; COMPARE=revision for the changes since
	@$(PYTHON) -m synth --config $(variant) $(if $(BUDGET),--budget,$(if $(FMAX),--fmax "$(patsubst 1,all,$(FMAX))" $(if $(findstring command,$(origin SEEDS)),--seeds "$(SEEDS)")) $(if $(COMPARE),--compare $(compared)))

power: $(setup_synth) ## estimates the relative power of Cereal's units (CONFIG=cereal only) and the energy of serializers from switching in the simulation: build/power
	@$(if $(and $(findstring command,$(origin CONFIG)),$(filter-out cereal,$(CONFIG))),$(error power is told of CONFIG=cereal, not of $(CONFIG)))
	@$(MAKE) --no-print-directory power-machine CONFIG=cereal
.PHONY: power-machine
power-machine: verilog firmware $(TRACE_SIM)
	@$(PYTHON) -m synth.power --data-width $(DATA_WIDTH)

trace: firmware $(TRACE_SIM) ## writes FST waves of cycles START to END of ELF to build/trace
	@$(PYTHON) -m sim.trace --image "$(ELF)" --start $(START) --end $(END)

clean: ## removes everything that was built (build, out); downloads stay
	rm -rf build out .snakemake
