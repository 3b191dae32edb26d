# Builds the simulator: SOC (folder of heapwire_soc.v and soc.json), GEN (folder
# of HeapwireCluster.v), OUT (where to build), TRACE (non-empty: with FST).
VERILATOR ?= verilator
CXX       ?= g++
OUT       := $(OUT:/=)
here      := $(dir $(lastword $(MAKEFILE_LIST)))
sources   := main.cpp options.cpp memory.cpp listener.cpp link.cpp uart.cpp jtag.cpp
model     := $(OUT)/model

# -O2 of the generated code ran fastest; nothing here depends on the machine.
VERILATOR_FLAGS := --cc --top-module heapwire_soc --prefix Vsoc --Mdir $(model) -O3 --x-assign fast --x-initial fast \
                   --noassert --no-timing --flatten -Wno-fatal -Wno-lint -Wno-style -Wno-COMBDLY --output-split 20000 --output-split-cfuncs 2000 \
                   $(if $(TRACE),--trace-fst)
OPT             := -O2 -fno-plt -fno-semantic-interposition
include_root    := $(shell $(VERILATOR) --getenv VERILATOR_ROOT)/include
CXXFLAGS        := -std=c++17 -Wall -Wextra -O2 -I$(model) -I$(OUT) -isystem $(include_root) -isystem $(include_root)/vltstd \
                   -DVM_TRACE=$(if $(TRACE),1,0)
objects         := $(sources:%.cpp=$(OUT)/%.o)
ifneq ($(TRACE),)
runtime         := verilated verilated_threads verilated_fst_c
libraries       := -lz
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
	@{ echo '#pragma once'; echo '#include <cstdint>'; \
	   sed -nE '/"memory": /,/}/{s/ *"base": ([0-9]+),?/constexpr uint32_t kMemoryBase = \1;/p;s/ *"bytes": ([0-9]+)/constexpr uint64_t kMemoryBytes = \1;/p}' $<; \
	   sed -nE 's/^ "unitClockDivider": ([0-9]+),?$$/constexpr uint64_t kUnitClockDivider = \1;/p' $<; \
	   sed -nE 's/^ "debug": "(.*)",?$$/constexpr char kDebug[] = "\1";/p' $<; \
	   echo 'constexpr char kRomImage[] = "heapwire_soc_rom.init";'; } > $@.new
	@cmp -s $@ $@.new && rm $@.new || mv $@.new $@

$(model)/Vsoc.mk: $(SOC)/heapwire_soc.v $(GEN)/HeapwireCluster.v $(here)../dram_model.v
	@echo "sim: verilating $(SOC)$(if $(TRACE), with tracing)"
	@rm -rf $(model) && mkdir -p $(model)
	@$(VERILATOR) $(VERILATOR_FLAGS) $^

$(model)/Vsoc__ALL.a: $(model)/Vsoc.mk
	@echo "sim: compiling the model (one to three minutes)"
	@$(MAKE) --no-print-directory -s -j2 -C $(model) -f Vsoc.mk CXX="$(CXX)" OPT_FAST="$(OPT)" OPT_SLOW="-O1" OPT_GLOBAL="$(OPT)" \
	  Vsoc__ALL.a > $(OUT)/compile.log 2>&1 || { tail -n 20 $(OUT)/compile.log >&2; exit 1; }
