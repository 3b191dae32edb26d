# Boards: targets that call `python -m boards`, the boards' LiteX target script.

boards       = $(shell sed -nE 's/^NAMES = \((.*)\)$$/\1/p' boards/__init__.py | tr -d '",')
# Checks LIKE, the board that the simulated one imitates (sim/like.py, which knows the parts). Targets that are not in
# like_goals build configurations that they name themselves.
like_goals = verilog classes sim firmware demo program bench debug trace help
like_no    = $(error LIKE='$(LIKE)': $(1))
like_wrong = $(if $(filter 1,$(words $(LIKE))),,$(call like_no,one board))\
$(if $(filter $(firstword $(subst -, ,$(like_board))),$(boards)),,$(call like_no,no such board; there are: $(boards); a part of one is ulx3s-25f))\
$(if $(filter-out $(like_goals),$(MAKECMDGOALS)),$(call like_no,it is for $(like_goals)))\
$(if $(filter bench,$(MAKECMDGOALS)),$(if $(and $(SUITE),$(if $(filter $(suites_with_own),$(SUITE)),,1)),,$(call like_no,name suites with SUITE=; $(suites_with_own) have machines of their own)))\
$(if $(filter 0,$(MAKELEVEL)),$(foreach name,CONFIG DATA_WIDTH UNIT_CLOCK,$(if $(findstring command,$(origin $(name))),$(call like_no,$(name) is the board's))))
$(if $(strip $(LIKE)),$(like_wrong))
# Refuses BOARD for targets that would ignore it.
board_goals = bitstream load flash term firmware debug help
board_not   = $(if $(filter-out $(like_goals),$(MAKECMDGOALS)),leave out BOARD,LIKE=$(BOARD) for a simulated one)
$(if $(and $(filter 0,$(MAKELEVEL)),$(findstring command,$(origin BOARD)),$(strip $(BOARD)),$(filter-out $(board_goals),$(MAKECMDGOALS))),\
$(error BOARD=$(BOARD) is for $(board_goals). What to do: $(board_not)))
stock_wrong = $(if $(filter-out verilog classes sim firmware bench help,$(MAKECMDGOALS)),$(call like_no,LiteX's own CPU is for sim firmware bench))\
$(if $(filter bench,$(MAKECMDGOALS)),$(if $(filter-out core,$(SUITE)),$(call like_no,LiteX's own CPU has no units: SUITE=core is what it can measure)))
$(if $(like_stock),$(stock_wrong))

.PHONY: known-board bitstream load flash term
known-board:
	@$(if $(and $(filter 1,$(words $(BOARD))),$(filter $(BOARD),$(boards))),,$(error $(if $(BOARD),no board '$(BOARD)'.,which board?) What to do: BOARD=, one of $(boards)))

bitstream: $(call needs,bitstream,setup $(setup_synth)) ## builds BOARD's bitstream: cluster, LiteX, Yosys, nextpnr; ends with its size and its frequency
load: $(call needs,load,$(setup_synth)) ## loads the bitstream into BOARD's FPGA, until power is cut
flash: $(call needs,flash,$(setup_synth)) ## writes the bitstream into BOARD's flash
term: $(call needs,term) ## opens a terminal on BOARD's UART; ARGS="--kernel FILE" sends that program to the boot ROM
bitstream load flash term:
	@$(run)
