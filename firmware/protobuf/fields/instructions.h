/* The custom-1 instructions (accel/src/heapwire/isa/FieldInstruction.scala) as inline functions.
 *
 * Types and flags are immediates, so they must be constants. A sequence must not contain a safepoint or a voluntary
 * switch of threads. Interrupts do no harm; if a handler or another thread opens a sequence, this one ends in BROKEN.
 *
 * Off RISC-V there is no unit, and hw_fields_present() returns false.
 */
#ifndef HW_PROTOBUF_FIELDS_INSTRUCTIONS_H
#define HW_PROTOBUF_FIELDS_INSTRUCTIONS_H

#include <stdint.h>

#include "heapwire.h"
#include "units/capability.h"

static inline bool hw_fields_present(void) { return hw_unit_count(HW_UNIT_PROTOBUF_FIELDS) != 0; }

#ifdef __riscv

#define HW_FIELD_INSTRUCTION(funct3, funct7, rd, rs1, rs2)                                  \
    __asm__ volatile(".insn r %1, %2, %3, %0, %z4, %z5"                                     \
                     : "=r"(rd)                                                             \
                     : "i"(HW_FIELD_OPCODE), "i"(funct3), "i"(funct7), "rJ"(rs1), "rJ"(rs2) \
                     : "memory")

/* Sets up a sequence. `form`: HW_FIELD_SET_UP_*. */
#define hw_field_set_up(form, first, second)                                                                      \
    do {                                                                                                          \
        int32_t hw_taken_;                                                                                        \
        do HW_FIELD_INSTRUCTION(HW_FIELD_INSN_SEROUTPUT, form, hw_taken_, (uint32_t)(first), (uint32_t)(second)); \
        while (__builtin_expect(hw_taken_ == HW_FIELD_NOT_TAKEN, 0));                                             \
    } while (0)

/* Writes a field in front of the previous ones. `function`: HW_TYPE_*, HW_FIELD_FUNCTION_REPEATED,
 * HW_FIELD_FUNCTION_FLAG. */
#define hw_serfield(function, slot, number)                                                                         \
    do {                                                                                                            \
        int32_t hw_taken_;                                                                                          \
        do HW_FIELD_INSTRUCTION(HW_FIELD_INSN_SERFIELD, function, hw_taken_, (uint32_t)(slot), (uint32_t)(number)); \
        while (__builtin_expect(hw_taken_ == HW_FIELD_NOT_TAKEN, 0));                                               \
    } while (0)

/* Parses the value at `source` into `slot`. Returns the address behind the value; all ones once the sequence has
 * failed. */
#define hw_parfield(function, source, slot)                                                                \
    __extension__({                                                                                        \
        uint32_t hw_source_ = (source), hw_next_;                                                          \
        do HW_FIELD_INSTRUCTION(HW_FIELD_INSN_PARFIELD, function, hw_next_, hw_source_, (uint32_t)(slot)); \
        while (__builtin_expect(hw_next_ == hw_source_, 0));                                               \
        hw_next_;                                                                                          \
    })

/* Queries or ends a sequence. `form`: HW_FIELD_CHECK_*; `operand` is for TAKE. */
#define hw_chksuccess(form, operand)                                                                 \
    __extension__({                                                                                  \
        uint32_t hw_answer_;                                                                         \
        do HW_FIELD_INSTRUCTION(HW_FIELD_INSN_CHKSUCCESS, form, hw_answer_, (uint32_t)(operand), 0); \
        while (__builtin_expect(hw_answer_ == (uint32_t)HW_FIELD_NOT_TAKEN, 0));                     \
        hw_answer_;                                                                                  \
    })

#else /* no unit */

#define hw_field_set_up(form, first, second) ((void)(first), (void)(second))
#define hw_serfield(function, slot, number) ((void)(slot), (void)(number))
#define hw_parfield(function, source, slot) ((void)(slot), (void)(source), UINT32_MAX)
#define hw_chksuccess(form, operand) ((void)(operand), (uint32_t)HW_STATUS_BROKEN)

#endif

/* Ends any open sequence, before another thread runs. */
static inline void hw_fields_break(void) {
    if (hw_fields_present()) hw_field_set_up(HW_FIELD_SET_UP_BREAK, 0, 0);
}

#endif
