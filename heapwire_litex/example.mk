# The folder of the SoC that LiteX has built.
BUILD_DIR ?= ../build/sim

SRC   = greet.c
PROTO = guests.proto
DATA  = guests.bin

include $(BUILD_DIR)/software/include/generated/variables.mak
include $(CPU_DIRECTORY)/heapwire.mak

# What the program reads, made of text.
guests.bin: guests.txt guests.proto
	$(PYTHON) -m grpc_tools.protoc -I. --encode=start.GuestList guests.proto <guests.txt >$@
