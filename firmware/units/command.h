/* The custom-0 instructions of the command front end, as inline functions.
 *
 * Staging and submitting belong together as LR and SC do: if a trap occurs between them, submit returns RETRY. Callers
 * therefore stage and submit in a loop.
 *
 *   do {
 *       hw_command_stage(0, source, destination);
 *       tag = hw_command_submit(HW_OP_COPY, ...);
 *   } while (tag == HW_SUBMIT_RETRY);
 *
 * `hw_command_start` does both, for commands with many arguments.
 *
 * Operation codes, stage indices and result indices are immediates of the instruction, so they must be constants. Off
 * RISC-V there is no front end and every submit returns NO_UNIT; the host build thereby tests the codecs.
 */
#ifndef HW_UNITS_COMMAND_H
#define HW_UNITS_COMMAND_H

#include <stdint.h>

#include "heapwire.h"

#ifdef __riscv

#define HW_COMMAND(funct3, funct7, rd, rs1, rs2, ...)                                \
    __asm__ volatile(".insn r %1, %2, %3, %0, %4, %z5"                               \
                     : "=r"(rd)                                                      \
                     : "i"(HW_OPCODE), "i"(funct3), "i"(funct7), "r"(rs1), "rJ"(rs2) \
                     : __VA_ARGS__)

/* Stages arguments 2 * index and 2 * index + 1 of the next command. */
#define hw_command_stage(index, first, second)                                                  \
    __asm__ volatile(".insn r %0, %1, %2, x0, %z3, %z4"                                         \
                     :                                                                          \
                     : "i"(HW_OPCODE), "i"(HW_INSN_STAGE), "i"(index), "rJ"((uint32_t)(first)), \
                       "rJ"((uint32_t)(second)))

/* Submits with arguments 6 and 7. Returns a tag, or HW_SUBMIT_*. The unit sees all earlier stores. */
#define hw_command_submit(operation, sixth, seventh)                                                      \
    __extension__({                                                                                       \
        int32_t hw_tag_;                                                                                  \
        HW_COMMAND(HW_INSN_SUBMIT, operation, hw_tag_, (uint32_t)(sixth), (uint32_t)(seventh), "memory"); \
        hw_tag_;                                                                                          \
    })

/* Stages six arguments and submits with the other two, one instruction a cycle: all values are in registers
 * beforehand. */
#define hw_command_start(operation, first, second, third, fourth, fifth, sixth, seventh, eighth)                    \
    __extension__({                                                                                                 \
        int32_t hw_tag_;                                                                                            \
        __asm__ volatile(                                                                                           \
            ".insn r %1, %2, 0, x0, %z5, %z6\n\t"                                                                   \
            ".insn r %1, %2, 1, x0, %z7, %z8\n\t"                                                                   \
            ".insn r %1, %2, 2, x0, %z9, %z10\n\t"                                                                  \
            ".insn r %1, %3, %4, %0, %z11, %z12"                                                                    \
            : "=r"(hw_tag_)                                                                                         \
            : "i"(HW_OPCODE), "i"(HW_INSN_STAGE), "i"(HW_INSN_SUBMIT), "i"(operation), "rJ"((uint32_t)(first)),     \
              "rJ"((uint32_t)(second)), "rJ"((uint32_t)(third)), "rJ"((uint32_t)(fourth)), "rJ"((uint32_t)(fifth)), \
              "rJ"((uint32_t)(sixth)), "rJ"((uint32_t)(seventh)), "rJ"((uint32_t)(eighth))                          \
            : "memory");                                                                                            \
        hw_tag_;                                                                                                    \
    })

/* Returns result word `index` of a completed tag. */
#define hw_command_result(index, tag)                                      \
    __extension__({                                                        \
        uint32_t hw_result_;                                               \
        HW_COMMAND(HW_INSN_RESULT, index, hw_result_, (uint32_t)(tag), 0); \
        hw_result_;                                                        \
    })

/* Waits for a tag. Returns its status, or HW_WAIT_PENDING when an interrupt is pending. */
static inline int32_t hw_command_wait(int32_t tag) {
    int32_t status;

    HW_COMMAND(HW_INSN_WAIT, 0, status, tag, 0, "memory");
    return status;
}

/* Like wait, but returns at once. */
static inline int32_t hw_command_poll(int32_t tag) {
    int32_t status;

    HW_COMMAND(HW_INSN_POLL, 0, status, tag, 0, "memory");
    return status;
}

/* Frees a completed tag. Does not wait. */
static inline void hw_command_release(int32_t tag) {
    __asm__ volatile(".insn r %0, %1, 0, x0, %2, x0" : : "i"(HW_OPCODE), "i"(HW_INSN_RELEASE), "r"(tag));
}

/* Returns information word `index`; see HW_INFO_* and HW_COUNTER_*. */
static inline uint32_t hw_command_info(uint32_t index) {
    uint32_t word;

    HW_COMMAND(HW_INSN_INFO, 0, word, index, 0, "memory");
    return word;
}

/* Sets runtime register `index` to `value`. Returns 0, or HW_SET_LOCKED. */
static inline int32_t hw_command_set(uint32_t index, uint32_t value) {
    int32_t answer;

    HW_COMMAND(HW_INSN_SET, 0, answer, index, value, "memory");
    return answer;
}

#else /* no front end */

#define hw_command_stage(index, first, second) ((void)(first), (void)(second))
#define hw_command_submit(operation, sixth, seventh) ((void)(sixth), (void)(seventh), (int32_t)HW_SUBMIT_NO_UNIT)
#define hw_command_start(operation, first, second, third, fourth, fifth, sixth, seventh, eighth)                  \
    ((void)(first), (void)(second), (void)(third), (void)(fourth), (void)(fifth), (void)(sixth), (void)(seventh), \
     (void)(eighth), (int32_t)HW_SUBMIT_NO_UNIT)
#define hw_command_result(index, tag) ((void)(tag), (uint32_t)0)

static inline int32_t hw_command_wait(int32_t tag) {
    (void)tag;
    return HW_WAIT_BAD_TAG;
}

static inline int32_t hw_command_poll(int32_t tag) {
    (void)tag;
    return HW_WAIT_BAD_TAG;
}

static inline void hw_command_release(int32_t tag) { (void)tag; }

static inline uint32_t hw_command_info(uint32_t index) {
    (void)index;
    return 0;
}

static inline int32_t hw_command_set(uint32_t index, uint32_t value) {
    (void)index, (void)value;
    return 0;
}

#endif

/* Waits until `tag` is complete. Interrupts are served meanwhile. */
static inline int32_t hw_command_finish(int32_t tag) {
    int32_t status;

    do status = hw_command_wait(tag);
    while (status == HW_WAIT_PENDING);
    return status;
}

#endif
