# Boards: targets that call `python -m boards`, the boards' LiteX target script.

boards       = $(shell sed -nE 's/^NAMES = \((.*)\)$$/\1/p' boards/__init__.py | tr -d '",')
# Checks LIKE, the board that the simulated one imitates (sim/like.py, which knows the parts). Targets that are not in
# like_goals build configurations that they name themselves.
like_goals = verilog sim firmware demo program bench debug trace help
like_no    = $(error LIKE='$(LIKE)': $(1))
like_wrong = $(if $(filter 1,$(words $(LIKE))),,$(call like_no,one board))\
$(if $(filter $(firstword $(subst -, ,$(LIKE))),$(boards)),,$(call like_no,no such board; there are: $(boards); a part of one is ulx3s-25f))\
$(if $(filter-out $(like_goals),$(MAKECMDGOALS)),$(call like_no,it is for $(like_goals)))\
$(if $(filter bench,$(MAKECMDGOALS)),$(if $(and $(SUITE),$(if $(filter cereal skyway,$(SUITE)),,1)),,$(call like_no,name suites with SUITE=; cereal and skyway have machines of their own)))\
$(if $(filter 0,$(MAKELEVEL)),$(foreach name,CONFIG DATA_WIDTH UNIT_CLOCK,$(if $(findstring command,$(origin $(name))),$(call like_no,$(name) is the board's))))
$(if $(strip $(LIKE)),$(like_wrong))
stock_no   = $(error STOCK='$(STOCK)': $(1))
stock_wrong = $(if $(LIKE),,$(call stock_no,name a board with LIKE=))$(if $(filter-out verilog sim firmware bench help,$(MAKECMDGOALS)),$(call stock_no,it is for sim firmware bench))\
$(if $(filter bench,$(MAKECMDGOALS)),$(if $(filter-out core,$(SUITE)),$(call stock_no,it has no units: SUITE=core is what it can measure)))
$(if $(strip $(STOCK)),$(stock_wrong))
# The configuration is the board's, unless the command line names one.
board_flags  = $(if $(DEVICE),--device "$(DEVICE)") $(if $(findstring command,$(origin CONFIG)),--cpu-variant "$(CONFIG)")

.PHONY: known-board bitstream load flash term
known-board:
	@$(if $(and $(filter 1,$(words $(BOARD))),$(filter $(BOARD),$(boards))),,$(error $(if $(BOARD),no board '$(BOARD)',which board?) What to do: BOARD=, one of $(boards)))

bitstream: known-board setup $(setup_synth) ## builds BOARD's bitstream: cluster, LiteX, Yosys, nextpnr; ends with its size and its frequency
	@$(PYTHON) -m boards "$(BOARD)" $(board_flags) --seeds "$(SEEDS)" --build

load: known-board $(setup_python) $(setup_synth) ## loads the bitstream into BOARD's FPGA, until power is cut
flash: known-board $(setup_python) $(setup_synth) ## writes the bitstream into BOARD's flash
flash load:
	@$(PYTHON) -m boards "$(BOARD)" $(board_flags) --$@ --prog "$(PROG)" $(if $(CABLE),--cable "$(CABLE)")

term: known-board $(setup_python) ## opens a terminal on BOARD's UART; sends KERNEL= to the boot ROM
	@$(PYTHON) -m boards.terminal "$(BOARD)" $(if $(PORT),--port "$(PORT)") $(if $(KERNEL),--kernel "$(KERNEL)")
