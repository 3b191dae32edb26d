# Shared by the Makefiles that build parts of the firmware as programs for this host (programs/*/host, tests/*/host):
# paths, sanitizers, the sources that every program links, and the rule that compiles a source. GEN is given. A Makefile
# may set WARN, CC and OBJECTS before it includes this file. The other files in this folder replace the SoC: main
# memory, headers.
FIRMWARE := $(patsubst %/host/build.mk,%,$(lastword $(MAKEFILE_LIST)))
SHARED   := $(FIRMWARE)/host
CC       ?= cc
WARN     ?= -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
SANITIZE := -fsanitize=address,undefined
CPPFLAGS := -I. -I$(SHARED) -I$(FIRMWARE) -I$(GEN)
# References have 32 bits, so a program and its data must lie below 4 GB.
CFLAGS   := -std=c11 -O1 -g -fno-pie $(WARN) $(SANITIZE) -fno-sanitize-recover=undefined
LDFLAGS  := -no-pie $(SANITIZE)

runtime  := $(wildcard $(addprefix $(FIRMWARE)/,runtime/*.c runtime/heap/*.c units/*.c copy/*.c protobuf/*.c protobuf/codec/*.c protobuf/fields/*.c cereal/*.c cereal/codec/*.c))
headers  := $(shell find $(FIRMWARE) . -name '*.h') $(GEN)/heapwire.h

# Object files are in OBJECTS, by default OUT. Each is named after the path of its source, because file names repeat.
OBJECTS  ?= $(OUT)
object    = $(addprefix $(OBJECTS)/,$(addsuffix .o,$(subst /,_,$(basename $(subst ../,,$(1))))))

# $(call compiled,source): the rule for the object file of a source.
define compiled
$(call object,$(1)): $(1) $(headers)
	@mkdir -p $(OBJECTS)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c $(abspath $(1)) -o $$@
endef
