# The build, in this order: cluster Verilog (Mill) -> SoC Verilog and C headers (LiteX),
# klass tables of Java classes (javac) -> simulator (Verilator) and firmware. Each
# configuration has its own folders, so that several exist side by side; all share the
# klass tables.

# LIKE names a board, and `+stock` after it LiteX's own CPU.
like_board := $(patsubst %+stock,%,$(LIKE))
like_stock := $(filter %+stock,$(LIKE))
# The name of the cluster's folders. With LIKE it is the board's name, and CONFIG, DATA_WIDTH and UNIT_CLOCK do not
# count. The SoC's own ends with -eth if it has a MAC.
cluster   := $(if $(LIKE),like-$(like_board)$(if $(like_stock),-stock),$(CONFIG)-$(DATA_WIDTH)$(if $(filter-out 1,$(UNIT_CLOCK)),-clock$(UNIT_CLOCK)))
variant   := $(cluster)$(if $(ETHERNET),-eth)
# Main memory of the simulated board: 2 MB per bit of its port.
memory_mb := $(shell expr 2 \* $(DATA_WIDTH))

# Prints the generator's arguments; for a board they come from its file.
cluster_wanted = $(if $(LIKE),$(PYTHON) -m sim.like "$(like_board)",echo --config $(CONFIG) --data-width $(DATA_WIDTH) --memory-mb $(memory_mb) --unit-clock-divider $(UNIT_CLOCK))

GEN       := build/gen/$(cluster)
# The Verilog keeps its time stamp if only the commit that it names has changed, so that no simulator is rebuilt for
# that.
VERILOG   := $(GEN)/HeapwireCluster.v
CLASSES   := build/classes
SOC       := build/soc/$(variant)
SIM       := build/sim/$(variant)$(if $(NOISE),-noise)/heapwire-sim
TRACE_SIM := build/sim/$(variant)-trace/heapwire-sim

empty     :=
space     := $(empty) $(empty)

.PHONY: verilog classes jar firmware sim wheel
# For users who have no Java.
wheel: | $(setup_python) $(setup_mill)
	@$(PYTHON) -m heapwire_litex.wheel build/wheel
verilog: $(GEN)/heapwire.json
classes: $(GEN)/heapwire.json $(setup_java)
	@$(MAKE) --no-print-directory -C host/java GEN=$(abspath $(GEN)) JARS=$(abspath $(CACHE)/java) OUT=$(abspath $(CLASSES)) \
	  LIST="$(if $(CLASS_LIST),$(abspath $(CLASS_LIST)))" CLASSPATH="$(subst $(space),:,$(abspath $(subst :, ,$(CLASS_PATH))))"
# The library for programs on a JVM, and Spark's serializers if SPARK is given.
jar: $(GEN)/heapwire.json $(setup_java)
	@$(MAKE) --no-print-directory -C host/java GEN=$(abspath $(GEN)) JARS=$(abspath $(CACHE)/java) OUT=$(abspath $(CLASSES)) PYTHON=$(PYTHON) $(if $(SPARK),SPARK="$(abspath $(SPARK))" spark,library)
sim: $(SIM)
ifeq ($(BOARD),)
firmware: $(SOC)/soc.json $(setup_nanopb) classes
	@$(MAKE) --no-print-directory -C firmware GEN=$(abspath $(GEN)) SOC=$(abspath $(SOC)) CLASSES=$(abspath $(CLASSES)) NANOPB=$(abspath $(CACHE)/nanopb) PYTHON=$(PYTHON)
	@HEAPWIRE_JSON=$(GEN)/heapwire.json $(PYTHON) -m heapwire.workload build/firmware/$(variant)/messages # for `exercise`, which trains the simulator
else
firmware: $(call needs,firmware,setup)
	@$(run)
endif

$(GEN)/heapwire.json: build.sc tools.env $(shell find accel/src -name '*.scala' 2>/dev/null) $(if $(LIKE),$(wildcard boards/*.py)) | $(setup_python) $(setup_mill)
	@echo "verilog: generating $(GEN) (minutes the first time: the Scala side is compiled; the log is in $(GEN)/generate.log at the end)"
	@wanted=$$($(cluster_wanted)) || exit 1; mkdir -p $(GEN); \
	 [ ! -f $(VERILOG) ] || cp -p $(VERILOG) $(VERILOG).before; \
	 WATCH_TAIL=1000 make/watched verilog $(GEN)/generate.log $(SCALA) heapwire.core.Generate $$wanted --output $(abspath $(GEN)) \
	  || { rm $(GEN)/generate.log; rmdir --ignore-fail-on-non-empty $(GEN); exit 1; }; \
	 if [ -f $(VERILOG).before ]; then \
	   if cmp -s <(grep -v '^// Git hash' $(VERILOG).before) <(grep -v '^// Git hash' $(VERILOG)); then mv $(VERILOG).before $(VERILOG); else rm $(VERILOG).before; fi; fi
	@touch $@

# Every run touches soc.json, but the Verilog only when it has changed: a new boot ROM
# or header does not cost a new simulator.
$(SOC)/soc.json: $(GEN)/heapwire.json $(wildcard soc/*.py sim/*.py firmware/boot/* firmware/boot/litedram/* firmware/platform/uart.* firmware/platform/cycles.h) | $(setup_python)
	@echo "soc: generating $(SOC)"
	@$(PYTHON) -m sim.generate --cluster $(GEN) --output $(SOC) $(if $(LIKE),--like "$(like_board)") $(if $(like_stock),--stock) $(if $(ETHERNET),--with-ethernet)
$(SOC)/heapwire_soc.v $(SOC)/cpu.v: $(SOC)/soc.json ;
$(VERILOG): $(GEN)/heapwire.json ;

# The CPU: the cluster, or LiteX's own.
cpu      := $(if $(like_stock),$(SOC)/cpu.v,$(VERILOG))
hardware := $(SOC)/heapwire_soc.v $(cpu) sim/dram_model.v $(wildcard sim/harness/*) $(if $(NOISE),sim/collisions.py)
$(SIM): $(hardware) | $(if $(TRAIN),firmware)
	@$(MAKE) --no-print-directory -f sim/harness/build.mk SOC=$(SOC) CPU=$(cpu) GEN=$(GEN) OUT=$(dir $@) PYTHON=$(PYTHON) TRACE= NOISE=$(if $(NOISE),1) TRAIN=$(if $(TRAIN),build/firmware/$(variant))
$(TRACE_SIM): $(hardware)
	@$(MAKE) --no-print-directory -f sim/harness/build.mk SOC=$(SOC) CPU=$(cpu) GEN=$(GEN) OUT=$(dir $@) PYTHON=$(PYTHON) TRACE=1 NOISE= TRAIN=
