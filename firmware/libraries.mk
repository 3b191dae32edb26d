# The firmware's libraries: name, sources, the libraries that it needs. The SoC's images (image.mk), programs for a host
# (host/build.mk) and the LiteX package (heapwire_litex/packaging_backend.py) take theirs from here; the study has more
# (study/firmware/libraries.mk). Their order is the order of linking, on which cycles depend.
#
# Folders of sources that are not firmware's: NANOPB (nanopb itself), PEERS (its code of a schema), CLASSES (klass tables
# of Java classes). OTHERS: include folders of code whose warnings are not ours.
FIRMWARE := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))

# $(call library,name,files below firmware/,needs[,other files])
library = $(eval libraries += $(1))$(eval files_$(1) := $(wildcard $(addprefix $(FIRMWARE),$(2))) $(4))$(eval needs_$(1) := $(3))

$(call library,platform,platform/start.S platform/*.c)
$(call library,runtime,runtime/*.c,heap units)
$(call library,heap,runtime/heap/*.c,runtime)
$(call library,accessors,runtime/accessors/*.c,runtime)
$(call library,thread,thread/*.[cS],runtime)
$(call library,units,units/*.c,platform)
$(call library,copy,copy/*.c,runtime)
$(call library,protobuf,protobuf/*.c,codec)
$(call library,codec,protobuf/codec/*.c,runtime)
$(call library,messages,protobuf/messages/*.c,protobuf accessors)
$(call library,fields,protobuf/fields/*.c,protobuf accessors)
$(call library,cereal,cereal/*.c cereal/codec/*.c,runtime)
ifneq ($(CLASSES),)
$(call library,java,runtime/java/*.c,runtime,$(CLASSES)/classes.c $(CLASSES)/serial.c)
endif
$(call library,nanopb,nanopb/*.c protobuf/nanopb/*.c,protobuf,$(if $(NANOPB),$(addprefix $(NANOPB)/,pb_common.c pb_decode.c pb_encode.c)) $(if $(PEERS),$(wildcard $(PEERS)/*.c)))
$(call library,skyway,skyway/*.c skyway/*/*.c,copy cereal packet $(if $(CLASSES),java))
$(call library,packet,packet/*.c,runtime)
$(call library,line,skyway/uart_line.c,skyway platform)
$(call library,object_line,programs/monitor/object_line.c programs/monitor/server.c,cereal packet)
$(call library,files,skyway/file.c,skyway)
$(call library,rpc,rpc/*.c,protobuf accessors)
$(call library,rpc_nanopb,rpc/nanopb/*.c,rpc nanopb)
$(call library,udp,ethernet/*.c)
$(call library,litex,litex/*.c)
files_skyway := $(filter-out $(files_line) $(files_files) $(if $(CLASSES),,%/java_loader.c),$(files_skyway))

# $(call closed,libraries): these and those that they need, in the order of linking.
closed = $(filter $(call reached,$(1),),$(libraries))
reached = $(if $(strip $(1)),$(call reached,$(filter-out $(2) $(1),$(sort $(foreach each,$(1),$(needs_$(each))))),$(2) $(1)),$(2))
# A program is a list of words: libraries, and files of its own, of which several may be meant by a `*`.
own_files = $(abspath $(foreach file,$(filter %.c %.S,$(1)),$(if $(findstring *,$(file)),$(wildcard $(file)),$(file))))
taken     = $(if $(filter-out $(libraries) %.c %.S,$(1)),$(error no library $(filter-out $(libraries) %.c %.S,$(1)); there are: $(libraries)))$(call closed,$(filter-out %.c %.S,$(1)))

# What crosses host and machine: packages of declarations in Python, and the command that writes them as C headers into
# a folder, with the statuses of GEN's heapwire.json, which is not there yet when make only says what it would do.
# Makefiles run it when they are read, since any source may include the headers. A header that does not change keeps its
# time.
RECORDS      += heapwire.records
write_records = $(if $(shell PYTHONPATH=$(FIRMWARE)..:$(FIRMWARE)../host $(or $(PYTHON),python3) -m heapwire.records $(1) $(RECORDS) $(wildcard $(GEN)/heapwire.json) >&2 || echo failed),$(error firmware: cannot write $(1)))

.PHONY: folders
folders:
	@echo $(sort $(foreach file,$(foreach name,$(call taken,$(LIBRARIES)),$(files_$(name))),$(firstword $(subst /, ,$(file:$(FIRMWARE)%=%)))))
