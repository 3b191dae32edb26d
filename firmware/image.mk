# Compiles and links programs of the SoC, and names their images after the variables image_NAME of the Makefile that
# includes this file. Each lists libraries (libraries.mk) and files. docs/reference/firmware_build.md has the variables:
#
#   make -C <folder> GEN=<dir> SOC=<dir> NANOPB=<dir> [CLASSES=<dir>] [OUT=] [IMAGE=] [PEERS=] [ACCESSORS=] [SOURCES=] [LAYOUT=n] [layouts]
ifeq ($(and $(GEN),$(SOC),$(NANOPB)),)
$(error firmware: GEN (heapwire.h), SOC (generated SoC) and NANOPB (its sources) must be given; `make firmware` at the top does)
endif
.DEFAULT_GOAL := all
ifndef libraries
include $(patsubst %image.mk,%libraries.mk,$(lastword $(MAKEFILE_LIST)))
endif

LAYOUT  ?= 0
CROSS   ?= riscv64-unknown-elf-
PYTHON  ?= python3
IMAGE   ?= $(sort $(patsubst image_%,%,$(filter image_%,$(.VARIABLES))))
# A user's own C files.
SOURCES ?=
# Whether nanopb's streams may be callbacks, as a user's own program may want: then each byte is a call.
NANOPB_CALLBACKS ?= $(if $(SOURCES),1)
users    = $(filter-out $(generated)/%,$(abspath $(SOURCES)))

ROOT    := $(abspath $(FIRMWARE)..)
OUT     ?= $(ROOT)/build/firmware/$(notdir $(abspath $(SOC)))
suffix  := $(if $(filter-out 0,$(LAYOUT)),-$(LAYOUT))
# Bytes by which the code of a layout is shifted: different numbers of cache lines and of words.
shift   := $(word $(shell expr $(LAYOUT) + 1),0 36 72 524 1048 1580 2116 2652)
objects := $(OUT)/objects$(if $(PEERS),-$(notdir $(abspath $(PEERS))))$(if $(SOURCES),$(if $(NANOPB_CALLBACKS),,-buffers))

generated := $(OUT)/generated
$(call write_records,$(generated)/records)

ARCHITECTURE := -march=rv32ima -misa-spec=2.2 -mabi=ilp32
# The C library has a variant for rv32im, which rv32ima code may link.
LIBRARY := -march=rv32im -mabi=ilp32
OPTIMIZE := -O2
CPPFLAGS := $(addprefix -I,$(SEARCHED) $(FIRMWARE:/=) $(GEN) $(SOC)/include $(ROOT)/soc/include $(NANOPB) $(PEERS) $(ACCESSORS) $(CLASSES) $(generated) $(if $(SOURCES),$(generated)/program)) \
            $(addprefix -isystem ,$(OTHERS)) -DPB_SYSTEM_HEADER='"nanopb/config.h"' $(if $(NANOPB_CALLBACKS),-DNANOPB_CALLBACKS) -DPICOLIBC_INTEGER_PRINTF_SCANF
CFLAGS  := $(ARCHITECTURE) --specs=picolibc.specs $(OPTIMIZE) -g -std=c11 -fmacro-prefix-map=$(ROOT)/= -ffunction-sections -fdata-sections -msmall-data-limit=8
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
# A user's own files: warnings are no errors, but for a call of what nothing declares, such as a misspelt accessor; printf
# knows floating point.
USER    := -Wall -Wextra -Werror=implicit-function-declaration -std=gnu11 -UPICOLIBC_INTEGER_PRINTF_SCANF -include $(generated)/program/before.h
LDFLAGS := $(LIBRARY) --specs=picolibc.specs -nostartfiles -T $(FIRMWARE)platform/link.ld -L$(SOC)/include/generated \
           -Wl,--gc-sections,--build-id=none,--no-warn-rwx-segments -Wl,--defsym=layout=$(LAYOUT),--defsym=layout_shift=$(shift)

# An object file is named after the path of its source, with _ for /. link.ld selects by these names. A user's files have
# @ for /, which no path of a source has, so a_b.c and a/b.c have different objects.
path    = $(basename $(1:$(ROOT)/%=%))
object  = $(foreach file,$(1),$(objects)/$(if $(filter $(file),$(users)),$(subst /,@,$(call path,$(file))),$(subst /,_,$(call path,$(file)))).o)
sources = $(foreach name,$(call taken,platform thread $(image_$(1))),$(files_$(name))) $(call own_files,$(image_$(1)))

.PHONY: all layouts
.DELETE_ON_ERROR:
all: $(foreach image,$(IMAGE),$(OUT)/$(image)$(suffix).bin)
	@:
layouts: $(foreach image,$(IMAGE),$(OUT)/$(image)-layouts.elf)
$(foreach image,$(IMAGE),$(OUT)/$(image)-layouts.elf): $(OUT)/%-layouts.elf: FORCE
	@for n in 0 1 2 3 4; do $(MAKE) --no-print-directory IMAGE=$* LAYOUT=$$n all || exit 1; done
	@$(CROSS)gcc $(LIBRARY) -nostdlib -Wa,-I$(OUT) $(foreach n,0 1 2 3 4,-DSLOT$(n)='"$*$(if $(filter-out 0,$(n)),-$(n)).bin"') -T $(FIRMWARE)platform/layouts.ld -L$(SOC)/include/generated \
	  -Wl,--build-id=none,--no-warn-rwx-segments $(FIRMWARE)platform/layouts.S -o $@
FORCE:

$(OUT)/%$(suffix).bin: $(OUT)/%$(suffix).elf
	@$(CROSS)objcopy -O binary $< $@

define program
$(OUT)/$(1)$(suffix).elf: $(call object,$(call sources,$(1))) $(FIRMWARE)platform/link.ld $(MAKEFILE_LIST)
	@echo "firmware: $$(notdir $$@)"
	@$(CROSS)gcc $(LDFLAGS) $$(filter %.o,$$^) -o $$@
$(call object,$(filter-out $(generated)/%,$(call own_files,$(image_$(1))))): | $(patsubst %.c,%.h,$(filter $(generated)/%.pb.c,$(image_$(1))))
endef
$(foreach image,$(IMAGE),$(eval $(call program,$(image))))

define compiled
$(call object,$(1)): $(1) $(FIRMWARE)image.mk | $(objects)
	@$(CROSS)gcc $(CPPFLAGS) $(CFLAGS) $(2) -MMD -MP -c $$< -o $$@
endef
all_sources := $(sort $(foreach image,$(IMAGE),$(call sources,$(image))))
foreign := $(filter $(generated)/% $(NANOPB)/% $(if $(PEERS),$(PEERS)/%),$(all_sources))
memory  := $(FIRMWARE)platform/memory.c
# It includes LiteX's libliteeth.
ethernet := $(filter $(FIRMWARE)ethernet/%,$(all_sources))
LITEX   = $(shell $(PYTHON) -c 'from importlib.util import find_spec; print(*find_spec("litex.soc.software").submodule_search_locations)')
$(foreach file,$(filter-out $(foreign) $(users) $(memory) $(ethernet),$(all_sources)),$(eval $(call compiled,$(file),$(WARN))))
$(foreach file,$(users),$(eval $(call compiled,$(file),$(USER))))
$(foreach file,$(foreign),$(eval $(call compiled,$(file),)))
$(eval $(call compiled,$(memory),$(WARN) -fno-tree-loop-distribute-patterns))
$(foreach file,$(ethernet),$(eval $(call compiled,$(file),$(WARN) -isystem $(LITEX))))

# nanopb's code of the .proto files in PROTOS, for images that list $(generated)/NAME.pb.c.
ifneq ($(PROTOS),)
$(generated)/%.pb.c: $(PROTOS)/%.proto $(PROTOS)/%.options
	@mkdir -p $(generated)
	@PYTHONPATH=$(ROOT):$(ROOT)/host $(PYTHON) -m heapwire.nanopb -I $(PROTOS) -f $(PROTOS)/$*.options -D $(generated) $*.proto
	@touch $@
$(generated)/%.pb.h: $(generated)/%.pb.c ;
endif

$(objects):
	@mkdir -p $@
-include $(wildcard $(objects)/*.d)
