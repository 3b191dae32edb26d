# Heapwire's entry point: `make help` lists goals and variables. make/arguments.py looks at the command line; every goal
# first sets up what it needs (make/setup.mk) and builds what it runs on (make/build.mk).
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Steps follow one another, because Mill must not run twice in one tree. Only tools are set up side by side.
ifneq ($(MAKECMDGOALS),all-test-tools)
.NOTPARALLEL:
endif

include tools.env

CONFIG     ?= default
DATA_WIDTH ?= 128
UNIT_CLOCK ?= 1
TRAIN      ?= 1
CACHE      ?= .cache
VENV       ?= .venv
ELF        ?= build/firmware/$(variant)/exercise.elf

# A machine without Python gets it by the set-up, and the command line is looked at then.
include make/quoting.mk
look      := python3 make/arguments.py $(call shell_word,$(MAKECMDGOALS)) $(call shell_word,$(MAKEOVERRIDES))
has_python := $(shell command -v python3)
ifeq ($(MAKELEVEL),0)
refused   := $(if $(has_python),$(shell $(look)))
$(if $(has_python),$(if $(filter-out 0,$(.SHELLSTATUS)),$(error $(or $(refused),make/arguments.py failed, see above))))
endif

# The command behind a goal. It looks at its flags (ARGS) and at what it is told, before anything is built; if it is
# asked for its flags alone, it needs only Python.
paths           = $(if $(2),$(shell python3 make/arguments.py paths $(call shell_word,$(1)) $(call shell_word,$(2))))
imports         = $(call paths,-I,$(INCLUDE))
own_message     = $(if $(PROTO),--proto "$(PROTO)") $(imports) $(if $(TYPE),--type "$(TYPE)") $(if $(DATA),--data "$(DATA)")
run_demo        = heapwire demo $(own_message)
run_program     = heapwire program $(call paths,,$(SRC)) $(call paths,--proto,$(PROTO)) $(imports) $(if $(DATA),--data "$(DATA)") $(debug_flag)
run_demo-rpc    = heapwire program $(addprefix $(demo_rpc)/,demo.c structs.c) $(addprefix --proto $(demo_rpc)/,demo.proto structs.proto) --max-cycles 500000000 --client "$(pigweed) host/pigweed/demo.py build/demo-rpc$(if $(ETHERNET), udp:192.168.7.2:7000)"
run_conformance = heapwire.conformance.run $(CACHE)/conformance
run_debug       = heapwire debug $(if $(BOARD),--board "$(BOARD)" $(if $(findstring command,$(origin ELF)),--elf "$(ELF)"),--elf "$(ELF)")
run_area        = synth --config $(cluster)
run_trace       = sim.trace --image "$(ELF)"
run_bitstream   = boards "$(BOARD)" $(board_flags) --build
run_load        = boards "$(BOARD)" $(board_flags) --load
run_flash       = boards "$(BOARD)" $(board_flags) --flash
run_firmware    = boards "$(BOARD)" $(board_flags) --firmware
run_term        = boards.terminal "$(BOARD)"
run_check-board = heapwire check --board "$(BOARD)" $(if $(DEVICE),--device "$(DEVICE)") $(if $(findstring command,$(origin CONFIG)),--config "$(CONFIG)") --conformance "$(CACHE)/conformance"
# DEBUG of the environment is for other programs.
debug_flag      = $(if $(findstring command,$(origin DEBUG)),$(if $(filter-out 0,$(DEBUG)),--debug))
demo_rpc        = firmware/programs/rpc
pigweed         = $(CACHE)/pigweed/bin/python
# The configuration is the board's, unless the command line names one.
board_flags     = $(if $(DEVICE),--device "$(DEVICE)") $(if $(findstring command,$(origin CONFIG)),--cpu-variant "$(CONFIG)")

run        = $(PYTHON) -m $(run_$@) $(ARGS)
asked     := $(filter -h --help,$(ARGS))
needs      = $(if $(asked),$(setup_python),looked-at-$(1) $(2))
looked-at-%: $(VENV)/.installed
	@$(PYTHON) -m $(run_$*) --parse-only $(ARGS)
# Commands that make starts must not take these flags for theirs.
unexport ARGS

include make/setup.mk make/build.mk study/study.mk make/tests.mk

.PHONY: help help-study demo demo-rpc program conformance debug area trace bitstream load flash term check-board format clean distclean
help help-study:
	@python3 make/arguments.py $@

demo program: %: $(call needs,%,firmware sim)
demo-rpc: $(call needs,demo-rpc,firmware sim $(setup_pigweed))
	@$(if $(asked),,mkdir -p build/demo-rpc && $(pigweed) -m grpc_tools.protoc -I$(demo_rpc) --python_out=build/demo-rpc demo.proto structs.proto)
	@NANOPB_CALLBACKS= $(run)
conformance: $(call needs,conformance,firmware sim $(setup_conformance))
debug: $(call needs,debug,$(if $(BOARD),setup,firmware sim))
area: $(call needs,area,verilog $(setup_synth))
trace: $(call needs,trace,firmware $(TRACE_SIM))
bitstream: $(call needs,bitstream,setup $(setup_synth))
flash load: %: $(call needs,%,$(setup_synth))
term: $(call needs,term)
check-board: $(call needs,check-board,setup conformance-runner)
	@$(if $(asked),,$(PYTHON) -m $(run_firmware))
	@$(run)
demo program conformance debug area trace bitstream load flash term:
	@$(run)

format: setup
	@$(VENV)/bin/ruff check --quiet --select I --fix . && $(VENV)/bin/ruff format --quiet .
	@$(VENV)/bin/clang-format -i $(c_sources)
	@$(MILL) accel.reformat + accel.test.reformat >/dev/null
c_sources = $(sort $(shell find $(wildcard docs examples firmware heapwire_litex sim soc study tests) -name "*.[ch]" -o -name "*.cpp"))
.PHONY: c-sources
c-sources:
	@echo $(c_sources)

clean:
	rm -rf build out .snakemake
# Folders outside may be those of other trees, too.
distclean: clean
	rm -rf $(filter $(CURDIR)/%,$(abspath $(CACHE) $(VENV))) host/*.egg-info
	@echo "left, because other projects may use them (docs/reference/places.md): $(filter-out $(CURDIR)/%,$(abspath $(CACHE) $(VENV))) ~/.cache/heapwire ~/.cache/coursier ~/.m2 ~/.cache/pip ~/.npm, Debian's packages"
