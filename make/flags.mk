# ARGS: flags of the command behind a target. The commands are here, so that `make area ARGS=--help` shows the flags of
# one, and so that it looks at its flags, before anything is built.

run_demo        = heapwire demo $(if $(PROTO),--proto "$(PROTO)") $(if $(TYPE),--type "$(TYPE)") $(if $(DATA),--data "$(DATA)")
run_program     = heapwire program $(foreach file,$(SRC),"$(file)") $(foreach file,$(PROTO),--proto "$(file)") $(if $(DATA),--data "$(DATA)")
run_demo-skyway = study demo-skyway
run_conformance = heapwire.conformance.run $(CACHE)/conformance
run_bench       = study bench $(SUITE)
run_debug       = heapwire debug $(if $(BOARD),--board "$(BOARD)" $(if $(findstring command,$(origin ELF)),--elf "$(ELF)"),--elf "$(ELF)")
run_spark       = study.bench.spark --jars $(CACHE)/spark
run_report      = study.workflow $(if $(QUICK),--quick) $(if $(SUITE),--suites "$(SUITE)")
run_report-page = study.report $(if $(QUICK),--bench build/report/quick/bench --output build/report/quick/index.html $(if $(wildcard build/report/quick/cuts.json),--cuts build/report/quick/cuts.json),--markdown study/results/results.md)
run_area        = synth --config $(variant)
run_trace       = sim.trace --image "$(ELF)"
run_bitstream   = boards "$(BOARD)" $(board_flags) --build
run_load        = boards "$(BOARD)" $(board_flags) --load
run_flash       = boards "$(BOARD)" $(board_flags) --flash
run_term        = boards.terminal "$(BOARD)"
run_firmware    = boards "$(BOARD)" $(board_flags) --firmware
# The configuration is the board's, unless the command line names one.
board_flags     = $(if $(DEVICE),--device "$(DEVICE)") $(if $(findstring command,$(origin CONFIG)),--cpu-variant "$(CONFIG)")

with_flags := demo program demo-skyway conformance bench debug spark report report-page area trace bitstream load flash term
# The command of a rule's target.
run         = $(if $(filter bench,$@),$(alone) )$(PYTHON) -m $(run_$@) $(ARGS)
# Suites with machines of their own need no other.
alone       = $(if $(and $(SUITE),$(if $(filter-out $(suites_with_own),$(SUITE)),,1)),CONFIG=cereal)

# What a target needs: its command looks at its flags, then comes the rest. Flags alone need only Python.
asked      := $(filter -h --help,$(ARGS))
needs       = $(if $(asked),$(setup_python),$(if $(filter bitstream load flash term firmware,$(1)),known-board) looked-at-$(1) $(2))
looked_at  := $(addprefix looked-at-,$(with_flags) firmware)
# Variables that the command looks at, too.
told        = $(ARGS)$(if $(filter demo,$*),$(PROTO)$(TYPE)$(DATA))$(filter program,$*)$(if $(filter trace debug,$*),$(if $(findstring command,$(origin ELF)),$(ELF)))$(if $(filter bench report,$*),$(SUITE))
.PHONY: $(looked_at)
$(looked_at): looked-at-%: $(setup_python)
	@$(if $(told),$(PYTHON) -m $(run_$*) --parse-only $(ARGS))

# Commands that make starts must not take these flags for theirs.
unexport ARGS
ifeq ($(MAKELEVEL),0)
ifneq ($(strip $(ARGS)),)
with_flags_now := $(filter $(with_flags) $(if $(BOARD),firmware),$(MAKECMDGOALS))
$(if $(filter 1,$(words $(with_flags_now))),,$(error ARGS: flags for one of these targets: $(with_flags), and firmware with BOARD=))
endif
endif

# Variables of earlier versions, and what to write now.
now_STOCK       := LIKE=BOARD+stock
now_SECOND      := make demo-skyway ARGS=--host
now_SERIALIZERS := make demo-skyway ARGS="--serializer NAME --serializer NAME"
now_WORDS       := make demo-skyway ARGS="--words COUNT"
now_VERTICES    := make demo-skyway ARGS="--vertices COUNT"
now_LOAD        := make debug ARGS="--load ADDRESS=FILE"
now_SEEDS       := make bitstream BOARD=... ARGS="--seeds COUNT", or make area ARGS="--fmax all --seeds COUNT"
now_PROG        := make load BOARD=... ARGS="--prog openocd"
now_CABLE       := make load BOARD=... ARGS="--cable NAME"
now_PORT        := make term BOARD=... ARGS="--port /dev/tty..."
now_KERNEL      := make term BOARD=... ARGS="--kernel FILE"
now_START       := make trace ARGS="--start CYCLE --end CYCLE"
now_END         := $(now_START)
now_COMPARE     := make area ARGS="--compare REVISION"
now_FMAX        := make area ARGS="--fmax all", or units, with `,` between them
now_BUDGET      := make area ARGS=--budget
now_KEEP        := make spark ARGS=--keep
now_SPARK       := make report ARGS=--spark
now_WIDTHS      := make report ARGS="--widths 64,128"
now_CLOCKS      := make report ARGS="--clocks 1,2"
now_BOARDS      := make report ARGS="--boards ulx3s,ulx3s+stock"
now_CORES       := make report ARGS="--cores COUNT"
now_WORKFLOW    := make report ARGS="-- FLAG OF SNAKEMAKE..."
$(foreach name,$(patsubst now_%,%,$(filter now_%,$(.VARIABLES))),$(if $(findstring command,$(origin $(name))),\
$(error there is no $(name)=. What to do: $(now_$(name)))))
