#include "protobuf/codec/deserialize.h"

#include "protobuf/codec/field.h"
#include "runtime/initialized.h"
#include "runtime/registers.h"
#include "runtime/thread.h"

struct hw_table_result hw_table_deserialize(const struct hw_type *type, const void *input, uint32_t length,
                                            uint32_t max_depth, struct hw_arenas *arenas) {
    if ((uintptr_t)input + length < (uintptr_t)input)
        return (struct hw_table_result){.status = HW_STATUS_OUT_OF_BOUNDS};
    const uint8_t *bytes = input, *end = bytes + length;
    struct decoder decoder = {
        .fixed = arenas->fixed,
        .flexible = arenas->flexible,
        .input_end = end,
        .mark = hw_registers[HW_REG_MARK_PROTOTYPE],
        .byte_string = hw_registers[HW_REG_KLASS_BYTE_STRING],
        .byte_array = hw_registers[HW_REG_KLASS_BYTE_ARRAY],
    };
    uint32_t depth = max_depth != 0 && max_depth < HW_TABLE_MAX_DEPTH ? max_depth : HW_TABLE_MAX_DEPTH;
    hw_ref root = 0;

    if (!type) return (struct hw_table_result){.status = HW_STATUS_BAD_DESCRIPTOR};
    /* The root takes a level of stack, too, but is not counted in `depth`. */
    depth = hw_stack_levels(depth + 1, HW_TABLE_READ_STACK);
    if (!protobuf_read_message(&decoder, type, &root, 0, bytes, bytes, end, depth))
        return (struct hw_table_result){.status = decoder.status, .offset = (uint32_t)(decoder.error_at - bytes)};
    /* A later occurrence may have brought the fields that were missing when a message ended. */
    if (decoder.incomplete && !hw_message_initialized(hw_pointer(root), type, HW_TABLE_MAX_DEPTH))
        return (struct hw_table_result){.status = HW_STATUS_MISSING_REQUIRED, .offset = length};
    arenas->fixed = decoder.fixed;
    arenas->flexible = decoder.flexible;
    return (struct hw_table_result){.status = HW_STATUS_OK, .root = root};
}
