#include "protobuf/nanopb/unit.h"

#include "units/capability.h"

hw_status hw_nanopb_unit_decode(const struct hw_type *type, void *message, const void *input, uint32_t length,
                                uint32_t *top, uint32_t limit) {
    hw_ref root = hw_reference(message);
    uint32_t end = root + HW_GET(type, ADT_OBJECT_SIZE);
    int32_t tag;

    if (!HW_ADT_NATIVE_DESERIALIZE || !hw_unit_for(HW_CAPABLE_PROTOBUF_DESERIALIZE)) return HW_NANOPB_NO_UNIT;
    do {
        tag = hw_command_start(HW_OP_PROTOBUF_DESERIALIZE, hw_reference(input), length, hw_reference(type), 0, root,
                               end, *top, limit);
    } while (__builtin_expect(tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL, 0));
    if (tag < 0) return HW_NANOPB_NO_UNIT;
    hw_status status = hw_command_finish(tag);

    if (status == HW_STATUS_OK) *top = hw_command_result(2, tag);
    hw_command_release(tag);
    return status;
}

hw_status hw_nanopb_unit_encode(const struct hw_type *type, const void *message, void *output, uint32_t room,
                                uint8_t **start) {
    hw_ref first = hw_reference(output);
    int32_t tag;

    if (!HW_ADT_NATIVE_SERIALIZE || !hw_unit_for(HW_CAPABLE_PROTOBUF_SERIALIZE)) return HW_NANOPB_NO_UNIT;
    do {
        tag = hw_command_start(HW_OP_PROTOBUF_SERIALIZE, hw_reference(message), hw_reference(type), 0, first,
                               first + room, 0, UINT32_MAX, 0);
    } while (__builtin_expect(tag == HW_SUBMIT_RETRY || tag == HW_SUBMIT_QUEUE_FULL, 0));
    if (tag < 0) return HW_NANOPB_NO_UNIT;
    hw_status status = hw_command_finish(tag);

    if (status == HW_STATUS_OK) *start = hw_pointer(hw_command_result(0, tag));
    hw_command_release(tag);
    return status;
}
