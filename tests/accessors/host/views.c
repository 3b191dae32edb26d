/* Views, as the unit leaves them when it reads a message. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "driver.h"
#include "runtime/heap/object.h"
#include "runtime/registers.h"

void leave_strings(hw_ref start, hw_ref limit, hw_ref owner, struct hw_bytes input) {
    for (hw_ref at = start; at < limit; at += hw_object_bytes(hw_pointer(at))) {
        if (((const struct hw_object *)hw_pointer(at))->klass != hw_registers[HW_REG_KLASS_BYTE_STRING]) continue;
        struct hw_bytes copy = hw_byte_string_bytes(at);
        hw_ref end = at + HW_OBJECT_BYTE_STRING_SIZE + HW_OBJECT_ARRAY_ELEMENTS + hw_object_round(copy.length);
        const uint8_t *there = copy.length ? memmem(input.data, input.length, copy.data, copy.length) : input.data;

        if (!there) die("a string that is not in the input");
        *(struct hw_byte_view *)hw_pointer(at) = (struct hw_byte_view){
            .header = {HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_BYTE_VIEW]},
            .owner = owner,
            .mark = HW_OBJECT_BYTE_VIEW_MARK,
            .offset = owner ? (uint32_t)(there - input.data) : hw_reference(there),
            .length = copy.length,
        };
        hw_make_filler(at + HW_OBJECT_BYTE_VIEW_SIZE, end);
    }
}
