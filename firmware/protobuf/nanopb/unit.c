#include "protobuf/nanopb/unit.h"

#include "units/capability.h"

static bool again(int32_t tag) { return tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL; }

hw_status hw_nanopb_unit_decode(const struct hw_type *type, void *message, const void *input, uint32_t length,
                                uint32_t *top, uint32_t limit) {
    int32_t tag;

    if (!HW_ADT_NATIVE_DESERIALIZE || !hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE)) return HW_NANOPB_NO_UNIT;
    do tag = hw_nanopb_submit_decode(type, message, input, length, *top, limit);
    while (again(tag));
    if (tag < 0) return HW_NANOPB_NO_UNIT;
    hw_status status = hw_command_finish(tag);

    if (status == HW_STATUS_OK) *top = hw_command_result(HW_READ_FLEXIBLE_TOP, tag);
    hw_command_release(tag);
    return status;
}

hw_status hw_nanopb_unit_encode(const struct hw_type *type, const void *message, void *output, uint32_t room,
                                uint8_t **start) {
    int32_t tag;

    if (!HW_ADT_NATIVE_SERIALIZE || !hw_unit_for(HW_CAPABLE_PROTOBUF_SERIALIZE)) return HW_NANOPB_NO_UNIT;
    do tag = hw_nanopb_submit_encode(type, message, output, room);
    while (again(tag));
    if (tag < 0) return HW_NANOPB_NO_UNIT;
    hw_status status = hw_command_finish(tag);

    if (status == HW_STATUS_OK) *start = hw_pointer(hw_command_result(HW_WRITE_START, tag));
    hw_command_release(tag);
    return status;
}
