# Builds a program for a LiteX SoC with Heapwire. The program's Makefile names its files and includes LiteX's variables
# and this file (docs/howto/litex.md):
#
#   BUILD_DIR ?= ../build/sim
#   SRC   = greet.c            C files, one with main
#   PROTO = guests.proto       schemas; INCLUDE: folders in which their imports begin; DATA: a file that it reads
#   NANOPB = nanopb            the folder of nanopb's sources, if the program calls nanopb: the engine then does its calls
#   include $(BUILD_DIR)/software/include/generated/variables.mak
#   include $(CPU_DIRECTORY)/heapwire.mak
#
# It gets NAME.bin (NAME: that of the first C file), NAME.elf and NAME.map. WITHOUT leaves out collector, codec or printf;
# WITH = checker takes in what checks tables that do not come with the program.
.DEFAULT_GOAL := all
# What the program's Makefile and the command line have set. heapwire.program looks for misspelt names among them.
theirs := $(foreach name,$(.VARIABLES),$(if $(filter file command,$(firstword $(origin $(name)))),$(name)))
include $(SOC_DIRECTORY)/software/common.mak
$(if $(NANOPB),$(if $(wildcard $(NANOPB)/pb_decode.c),,$(error heapwire: no pb_decode.c in NANOPB=$(NANOPB). What to do: name the folder of nanopb's sources)))
include $(CPU_DIRECTORY)/firmware/libraries.mk

NAME    ?= $(basename $(notdir $(firstword $(SRC))))
OUT     ?= build
WITHOUT ?=
WITH    ?=
# Of the user's files and the generated ones.
OPTIMIZE ?= -O2
wrong   := $(filter-out collector codec printf,$(WITHOUT)) $(filter-out checker,$(WITH))
$(if $(strip $(wrong)),$(error heapwire: there is no $(strip $(wrong)). What to do: WITHOUT= some of collector codec printf, WITH= checker))
ours    := $(filter $(abspath $(addprefix $(NAME).,bin elf map)),$(abspath $(DATA)))
$(if $(ours),$(error heapwire: DATA=$(DATA) has the name of a result. What to do: rename it, or name the result, NAME = another))
$(if $(strip $(SRC)),,$(error heapwire: no program. What to do: name its C files, SRC = my.c))

# The accessors, tables and input of the program. `generated_files` are their C files; make begins again if these become
# others. The folder of the cluster is the first one of LiteX's flags for the CPU.
cluster   := $(patsubst -I%,%,$(firstword $(filter -I%,$(CPUFLAGS))))
sources   := $(firstword $(wildcard $(CPU_DIRECTORY)/sources) $(abspath $(CPU_DIRECTORY)/..))
generated := $(OUT)/generated
ifeq ($(filter clean,$(MAKECMDGOALS)),)
include $(OUT)/generated.mk
endif
$(OUT)/generated.mk: $(DATA) always
	@PYTHONPATH=$(sources):$(sources)/host $(PYTHON) -m heapwire.program $(addprefix --variable=,$(theirs)) --interface $(cluster)/heapwire.json --output $(generated) \
	  $(addprefix -I,$(INCLUDE)) $(if $(DATA),--data $(DATA)) $(SRC) $(PROTO)
	@{ echo "# without $(WITHOUT), with $(WITH)"; find $(generated) -name "*.[cS]" | sort | sed "s/^/generated_files += /"; } >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: always
always:

# The drivers as a library, with litex/ instead of platform/. What runs seldom is compiled for size. The functions of
# libgcc that save registers make it smaller still, if the compiler has them for this core: LiteX itself needs no libgcc.
files_platform := $(files_litex) $(FIRMWARE)platform/memory.c
LIBRARIES ?= messages fields rpc protobuf copy cereal skyway $(if $(NANOPB),nanopb rpc_nanopb)
driver_files := $(foreach name,$(call taken,$(LIBRARIES)),$(files_$(name)))
seldom := protobuf/codec/% without/% runtime/schema% runtime/well_known.c runtime/initialized.c runtime/crc32.c \
          runtime/accessors/info.c $(addprefix runtime/heap/,init.c compact.c mark.c walk.c large.c safepoint.c root.c)
stand_in := $(patsubst %,$(FIRMWARE)without/%.c,$(WITHOUT) $(if $(WITH),,checker))
libgcc   := $(filter %/rv32im/ilp32/libgcc.a,$(shell $(TARGET_PREFIX)gcc -march=rv32im -mabi=ilp32 -print-libgcc-file-name))
for_size := -Os $(if $(libgcc),-msave-restore)
nanopb_flags := $(if $(NANOPB),-I$(NANOPB) -I$(generated) -DPB_SYSTEM_HEADER='"nanopb/config.h"' -DNANOPB_CALLBACKS)
driver_flags = $(filter-out -fno-builtin -fexceptions -Os,$(CFLAGS)) -std=gnu11 $(if $(filter $(addprefix $(FIRMWARE),$(seldom)),$(1)),$(for_size),-O2) \
               -ffunction-sections -fdata-sections -fno-tree-loop-distribute-patterns $(nanopb_flags)
user_flags   = $(filter-out -fno-builtin -fexceptions -Os,$(CFLAGS)) -std=gnu11 -Werror=implicit-function-declaration $(OPTIMIZE) -ffunction-sections -fdata-sections -I$(generated) $(addprefix -I,$(sort $(dir $(SRC)))) $(nanopb_flags)

software := $(BUILDINC_DIRECTORY)/..
# The drivers' object files are compiled once for a SoC and its cluster, for all programs beside it. nanopb's know the
# program's types.
drivers := $(if $(NANOPB),$(OUT)/objects,$(software)/heapwire/$(notdir $(abspath $(cluster))))
library := $(OUT)/libheapwire.a
objects_in = $(foreach file,$(2),$(1)/$(subst /,_,$(basename $(patsubst $(abspath $(FIRMWARE)..)/%,%,$(file)))).o)
object   = $(if $(filter $(driver_files),$(1)),$(call objects_in,$(drivers),$(1)),$(call objects_in,$(OUT)/objects,$(1)))
user_files := $(SRC) $(generated_files)
objects := $(OUT)/objects/crt0.o $(call object,$(user_files)) $(call object,$(stand_in))

.PHONY: all clean size
.DELETE_ON_ERROR:
all: $(NAME).bin
$(NAME).bin: $(NAME).elf
	$(OBJCOPY) -O binary $< $@
	@chmod -x $@
$(NAME).elf: $(objects) $(library) $(CPU_DIRECTORY)/program.ld $(OUT)/generated.mk
	$(CC) $(LDFLAGS) -T $(CPU_DIRECTORY)/program.ld -N -o $@ $(objects) $(library) $(PACKAGES:%=-L$(software)/%) \
	  -Wl,--gc-sections,--no-warn-rwx-segments -Wl,-Map,$(NAME).map -Wl,--wrap=main,--wrap=_exit,--wrap=abort \
	  -Wl,--start-group $(filter -lbase -lc -lcompiler_rt,$(LIBS:lib%=-l%)) -Wl,--end-group $(libgcc)
	@chmod -x $@
$(library): $(call object,$(driver_files))
	@rm -f $@
	$(AR) crs $@ $^
size: $(NAME).elf
	@$(TARGET_PREFIX)size $<

# $(call compiled,source,flags)
define compiled
$(call object,$(1)): $(1) $(CPU_DIRECTORY)/heapwire.mak | $(OUT)/objects $(drivers)
	$$(CC) -c $(2) -MF $$(@:.o=.d) -MT $$@ -o $$@.$$$$$$$$ $$< && mv $$@.$$$$$$$$ $$@
endef
$(foreach file,$(driver_files) $(stand_in),$(eval $(call compiled,$(file),$(call driver_flags,$(file)))))
$(foreach file,$(SRC),$(eval $(call compiled,$(file),$(user_flags) $(if $(NANOPB),-include protobuf/nanopb/drop_in.h))))
$(foreach file,$(generated_files),$(eval $(call compiled,$(file),$(user_flags))))
$(OUT)/objects/crt0.o: $(CPU_DIRECTORY)/crt0.S | $(OUT)/objects
	$(CC) -c $(CFLAGS) -o $@ $<
$(sort $(OUT)/objects $(drivers)):
	@mkdir -p $@
-include $(wildcard $(OUT)/objects/*.d $(drivers)/*.d)

clean:
	$(RM) -r $(OUT) $(NAME).bin $(NAME).elf $(NAME).map
