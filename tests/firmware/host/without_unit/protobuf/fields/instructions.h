/* Replaces protobuf/fields/instructions.h, to test how the driver handles objects and bounds: a fake unit that
 * accepts every field and stores none. */
#ifndef HW_PROTOBUF_FIELDS_INSTRUCTIONS_H
#define HW_PROTOBUF_FIELDS_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "heapwire.h"
#include "units/capability.h"

/* Fields that the fake unit has accepted, the status that it returns, and its allocation pointer. */
extern uint32_t fields_taken, fields_status, fields_fixed;

static inline bool hw_fields_present(void) { return true; }

static inline uint32_t fields_answer(int form, uint32_t operand) {
    uint32_t answer = 0;

    if (form == HW_FIELD_CHECK_STATUS) return fields_status;
    if (form == HW_FIELD_CHECK_TAKE) answer = fields_fixed, fields_fixed += (operand + 7) & ~7u;
    return answer;
}

#define hw_field_set_up(form, first, second) \
    ((void)(second), (form) == HW_FIELD_SET_UP_FIXED ? (void)(fields_fixed = (uint32_t)(uintptr_t)(first)) : (void)0)
#define hw_serfield(function, slot, number) ((void)(slot), (void)(number), (void)fields_taken++)
#define hw_parfield(function, source, slot) ((void)(slot), (uint32_t)(source) + 1)
#define hw_chksuccess(form, operand) fields_answer(form, operand)

static inline void hw_fields_break(void) {}

#endif
