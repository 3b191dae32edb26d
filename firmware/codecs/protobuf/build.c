#include "codecs/protobuf/build.h"

#include <string.h>

#include "runtime/registers.h"

void init_message(hw_ref reference, const struct hw_type *type)
{
    uint32_t size = HW_GET(type, ADT_OBJECT_SIZE);
    char *object = hw_pointer(reference);
    uint32_t offset;

    for (uint32_t i = HW_OBJECT_HEADER_SIZE; i < size; i += 4)
        *(uint32_t *)(object + i) = 0;
    ((struct hw_object *)object)->mark = hw_registers[HW_REG_MARK_PROTOTYPE];
    ((struct hw_object *)object)->klass = HW_GET(type, ADT_KLASS);
    if ((offset = HW_GET(type, ADT_MEMOIZED_SIZE_OFFSET)) != HW_ADT_NO_OFFSET)
        *(int32_t *)(object + offset) = HW_OBJECT_MEMO_UNSET;
    if ((offset = HW_GET(type, ADT_MEMOIZED_IS_INITIALIZED_OFFSET)) != HW_ADT_NO_OFFSET)
        *(int32_t *)(object + offset) = HW_OBJECT_MEMO_UNSET;
    if ((offset = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET)) != HW_ADT_NO_OFFSET)
        *(hw_ref *)(object + offset) = hw_registers[HW_REG_UNKNOWN_FIELDS];
}

hw_ref new_message(struct decoder *decoder, const struct hw_type *type)
{
    hw_ref taken = hw_arena_take(&decoder->fixed, HW_GET(type, ADT_OBJECT_SIZE));

    if (taken)
        init_message(taken, type);
    return taken;
}

hw_ref new_byte_string(struct decoder *decoder, const uint8_t *from, uint32_t length)
{
    const uint32_t overhead = HW_OBJECT_BYTE_STRING_SIZE + HW_OBJECT_ARRAY_ELEMENTS;
    uint32_t room = decoder->fixed.limit - decoder->fixed.top;

    if (room < overhead || length > room - overhead)
        return 0;
    hw_ref taken = hw_arena_take(&decoder->fixed, overhead + length);
    struct hw_byte_string *string = hw_pointer(taken);
    struct hw_array *array = (struct hw_array *)(string + 1);
    uint32_t mark = hw_registers[HW_REG_MARK_PROTOTYPE];

    string->header.mark = mark;
    string->header.klass = hw_registers[HW_REG_KLASS_BYTE_STRING];
    string->hash = 0;
    string->bytes = hw_reference(array);
    array->header.mark = mark;
    array->header.klass = hw_registers[HW_REG_KLASS_BYTE_ARRAY];
    array->length = length;
    array->padding = 0;
    if (length % HW_OBJECT_ALIGNMENT != 0) { /* no stale bytes after the last one */
        uint32_t *last = (uint32_t *)(array->elements + (length & ~(uint32_t)(HW_OBJECT_ALIGNMENT - 1)));
        last[0] = last[1] = 0;
    }
    memcpy(array->elements, from, length);
    return taken;
}
