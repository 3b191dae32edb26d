# How an example is built and run, for the Makefile of each. It says
#   SRC    its C files
#   PROTO  the .proto files of its messages
#   TEXT   its input as text, a message of type TYPE, which protoc writes as the bytes that the program reads
#   FLAGS  flags of `heapwire program`
# `make` builds the machine, too, as `make firmware sim` at the top does. `make run` builds the program alone. CONFIG,
# DATA_WIDTH, LIKE and ARGS work as they do at the top.
root := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))..)
VENV ?= .venv
refused := $(if $(filter 0,$(MAKELEVEL)),$(shell python3 $(root)/make/arguments.py program '$(subst ','\'',$(MAKEOVERRIDES))' SRC PROTO TEXT TYPE FLAGS))
$(if $(filter 0,$(MAKELEVEL)),$(if $(filter-out 0,$(.SHELLSTATUS)),$(error $(or $(refused),make/arguments.py failed, see above))))
# Paths of the tools may be relative to the top.
there = cd $(root) && PYTHONPATH=$(root):$(root)/host $(VENV)/bin/python -m
files = $(addprefix $(CURDIR)/,$(1))
data := $(if $(TEXT),$(root)/build/examples/$(notdir $(CURDIR)).bin)

.PHONY: all run
all:
	@$(MAKE) --no-print-directory -C $(root) firmware sim ARGS=
	@$(MAKE) --no-print-directory run
run: $(data)
	@$(there) heapwire program $(call files,$(SRC)) $(addprefix --proto ,$(call files,$(PROTO))) $(addprefix --data ,$(data)) $(FLAGS) $(ARGS)
$(data): $(TEXT) $(PROTO)
	@mkdir -p $(@D)
	@$(there) grpc_tools.protoc -I$(CURDIR) --encode=$(TYPE) $(PROTO) <$(CURDIR)/$(TEXT) >$@
