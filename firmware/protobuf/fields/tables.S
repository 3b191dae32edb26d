# The field instructions with every funct7, 16 bytes each, for callers that have type and flags in a variable. In: a0
# slot or source, a1 number or slot; return address in t0. Out: a0 as rd. An instruction that the unit did not accept
# because of an interrupt is repeated.

#include "heapwire.h"

    .section .text.hw_field_tables, "ax"
    .balign 16
    .globl hw_serfield_table
hw_serfield_table:
    .set function, 0
    .rept 128
1:  .insn r HW_FIELD_OPCODE, HW_FIELD_INSN_SERFIELD, function, t1, a0, a1
    bnez t1, 1b
    jr t0
    nop
    .set function, function + 1
    .endr

    .globl hw_parfield_table
hw_parfield_table:
    .set function, 0
    .rept 128
1:  .insn r HW_FIELD_OPCODE, HW_FIELD_INSN_PARFIELD, function, t1, a0, a1
    beq t1, a0, 1b
    mv a0, t1
    jr t0
    .set function, function + 1
    .endr
