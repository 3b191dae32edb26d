# What programs of the firmware's parts for this host share (programs/*/host, tests/*/host): where things are, sanitizers, what every
# program is linked with, and how a source is compiled. GEN is given; what a Makefile sets before it includes this stays. Beside it is what
# stands in for the SoC: main memory, headers.
FIRMWARE := $(patsubst %/host/build.mk,%,$(lastword $(MAKEFILE_LIST)))
SHARED   := $(FIRMWARE)/host
CC       ?= cc
WARN     ?= -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Werror
SANITIZE := -fsanitize=address,undefined
CPPFLAGS := -I. -I$(SHARED) -I$(FIRMWARE) -I$(GEN)
# References have 32 bits: a program and its data lie below 4 GB.
CFLAGS   := -std=c11 -O1 -g -fno-pie $(WARN) $(SANITIZE) -fno-sanitize-recover=undefined
LDFLAGS  := -no-pie $(SANITIZE)

runtime  := $(wildcard $(addprefix $(FIRMWARE)/,runtime/*.c runtime/heap/*.c units/*.c copy/*.c protobuf/*.c protobuf/codec/*.c protobuf/fields/*.c cereal/*.c cereal/codec/*.c))
headers  := $(shell find $(FIRMWARE) . -name '*.h') $(GEN)/heapwire.h

# Objects are in OBJECTS, by default OUT. Each has the name of its source, wherever that is: names of files repeat.
OBJECTS  ?= $(OUT)
object    = $(addprefix $(OBJECTS)/,$(addsuffix .o,$(subst /,_,$(basename $(subst ../,,$(1))))))

# $(call compiled,source): the rule for its object.
define compiled
$(call object,$(1)): $(1) $(headers)
	@mkdir -p $(OBJECTS)
	@$(CC) $(CPPFLAGS) $(CFLAGS) -c $(abspath $(1)) -o $$@
endef
