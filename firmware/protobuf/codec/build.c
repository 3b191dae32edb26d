#include "protobuf/codec/build.h"

#include "runtime/registers.h"

_Static_assert(HW_OBJECT_ALIGNMENT == 8 && HW_OBJECT_HEADER_SIZE % 8 == 0, "two words are cleared at a time");

static inline void initialize(hw_ref reference, const struct hw_type *type) {
    uint32_t *word = hw_pointer(reference + HW_OBJECT_HEADER_SIZE);
    uint32_t *end = hw_pointer(reference + HW_GET(type, ADT_OBJECT_SIZE));
    char *object = hw_pointer(reference);
    uint32_t offset;

    for (; word < end; word += 2) word[0] = word[1] = 0;
    ((struct hw_object *)object)->mark = hw_registers[HW_REG_MARK_PROTOTYPE];
    ((struct hw_object *)object)->klass = HW_GET(type, ADT_KLASS);
    if ((offset = HW_GET(type, ADT_MEMOIZED_SIZE_OFFSET)) != HW_ADT_NO_OFFSET)
        *(int32_t *)(object + offset) = HW_OBJECT_MEMO_UNSET;
    if ((offset = HW_GET(type, ADT_MEMOIZED_IS_INITIALIZED_OFFSET)) != HW_ADT_NO_OFFSET)
        *(int32_t *)(object + offset) = HW_OBJECT_MEMO_UNSET;
    if ((offset = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET)) != HW_ADT_NO_OFFSET)
        *(hw_ref *)(object + offset) = hw_registers[HW_REG_UNKNOWN_FIELDS];
}

void protobuf_init_message(hw_ref reference, const struct hw_type *type) { initialize(reference, type); }

HOT hw_ref protobuf_new_message(struct decoder *decoder, const struct hw_type *type) {
    hw_ref taken = hw_arena_take(&decoder->fixed, HW_GET(type, ADT_OBJECT_SIZE));

    if (taken) initialize(taken, type);
    return taken;
}
