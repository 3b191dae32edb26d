# Builds programs for this host of the firmware's libraries, with ASan and UBSan. A Makefile lists each program's
# libraries (libraries.mk) and files in program_NAME, further flags of its files in flags_NAME, and includes this file.
# The other files in this folder replace the SoC: main memory, headers.
#
#   make -C <folder> GEN=<dir of heapwire.h> OUT=<dir> [NANOPB=<dir>] [PEERS=<dir>] [CLASSES=<dir>] [PROGRAMS=<names>]
#
# Object files of libraries are in build/host, in a folder for each set of flags, and shared by all Makefiles: no two
# makes may run at a time (heapwire.firmware.build_for_host sees to that). A file that a program lists itself is compiled
# for it alone, with its flags, even if it is a library's.
.DEFAULT_GOAL := all
SHARED   := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))
ifndef libraries
include $(SHARED)../libraries.mk
endif
# The records are in build/host, too.
WRITTEN  := $(abspath $(FIRMWARE)../build/host)
$(call write_records,$(WRITTEN)/records)
PROGRAMS ?= $(patsubst program_%,%,$(filter program_%,$(.VARIABLES)))
CC       ?= cc
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
SANITIZE := -fsanitize=address,undefined
CPPFLAGS := $(addprefix -I,$(SEARCHED) $(SHARED:/=) $(FIRMWARE:/=) $(WRITTEN) $(GEN) $(NANOPB) $(CLASSES)) $(addprefix -isystem ,$(OTHERS)) $(or $(DEFINES),-DPB_SYSTEM_HEADER='"nanopb/config.h"')
# References have 32 bits, so a program and its data must lie below 4 GB.
CFLAGS   := -std=c11 -O1 -g -fno-pie $(SANITIZE) -fno-sanitize-recover=undefined
LDFLAGS  := -no-pie $(SANITIZE)
OBJECTS  := $(WRITTEN)/$(firstword $(shell echo '$(subst ','"'"',$(CC) $(CPPFLAGS) $(CFLAGS))' | cksum))

# Generated code, and nanopb's, may cause warnings.
foreign   = $(filter $(NANOPB)/% $(PEERS)/% $(GENERATED)/%,$(1))
own       = $(call own_files,$(program_$(1)))
files_platform := $(SHARED)memory.c
linked    = $(filter-out %.S $(call own,$(1)),$(foreach name,$(call taken,$(program_$(1))),$(files_$(name))))
name_of   = $(subst /,_,$(basename $(1:$(abspath $(FIRMWARE)..)/%=%)))
shared    = $(foreach file,$(1),$(OBJECTS)/$(call name_of,$(file)).o)
private   = $(foreach file,$(call own,$(1)),$(OUT)/objects/$(1)/$(call name_of,$(file)).o)

.PHONY: all
.DELETE_ON_ERROR:
all: $(addprefix $(OUT)/,$(PROGRAMS))

# $(call compiled,object,source,flags)
define compiled
$(1): $(2)
	@mkdir -p $$(@D)
	@$(CC) $(3) $(CFLAGS) $(if $(call foreign,$(2)),,$(WARN)) -MMD -MP -c $$< -o $$@
endef
define program
$(foreach file,$(call own,$(1)),$(eval $(call compiled,$(OUT)/objects/$(1)/$(call name_of,$(file)).o,$(file),$(flags_$(1)) $(CPPFLAGS))))
$(OUT)/$(1): $(call private,$(1)) $(call shared,$(call linked,$(1))) $(firstword $(MAKEFILE_LIST))
	@$(CC) $(LDFLAGS) $(link_$(1)) $$(filter %.o,$$^) -o $$@
endef
$(foreach each,$(PROGRAMS),$(eval $(call program,$(each))))
$(foreach file,$(sort $(foreach each,$(PROGRAMS),$(call linked,$(each)))),$(eval $(call compiled,$(call shared,$(file)),$(file),$(CPPFLAGS))))
-include $(foreach each,$(PROGRAMS),$(patsubst %.o,%.d,$(call private,$(each)) $(call shared,$(call linked,$(each)))))
