# Boards: a front over `python -m boards`, which is the boards' LiteX target script.

boards       = $(shell sed -nE 's/^NAMES = \((.*)\)$$/\1/p' boards/__init__.py | tr -d '",')
# The board that a simulated one is to be like (sim/like.py, which knows the parts).
$(if $(LIKE),$(if $(filter $(firstword $(subst -, ,$(LIKE))),$(boards)),,$(error no board '$(LIKE)' to be like; there are: $(boards), each with - and a part (ulx3s-25f))))
# The configuration is the board's, unless the command line names one.
board_flags  = $(if $(DEVICE),--device "$(DEVICE)") $(if $(findstring command,$(origin CONFIG)),--cpu-variant "$(CONFIG)")

.PHONY: known-board bitstream load flash term
known-board:
	@$(if $(and $(filter 1,$(words $(BOARD))),$(filter $(BOARD),$(boards))),,$(error $(if $(BOARD),no board '$(BOARD)',which board?) What to do: BOARD=, one of $(boards)))

bitstream: known-board setup $(setup_synth) ## BOARD's bitstream: cluster, LiteX, Yosys, nextpnr; ends with its size and its frequency
	@$(PYTHON) -m boards "$(BOARD)" $(board_flags) --seeds "$(SEEDS)" --build

load: known-board $(setup_python) $(setup_synth) ## the bitstream into BOARD's FPGA, until power is cut
flash: known-board $(setup_python) $(setup_synth) ## the bitstream into BOARD's flash
flash load:
	@$(PYTHON) -m boards "$(BOARD)" $(board_flags) --$@ --prog "$(PROG)" $(if $(CABLE),--cable "$(CABLE)")

term: known-board $(setup_python) ## a terminal on BOARD's UART; KERNEL= is sent to the boot ROM
	@$(PYTHON) -m boards.terminal "$(BOARD)" $(if $(PORT),--port "$(PORT)") $(if $(KERNEL),--kernel "$(KERNEL)")
