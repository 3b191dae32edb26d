#include "runtime/message.h"

#include <string.h>

static uint32_t mix(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * 0x9e3779b1u;
    return hash << 13 | hash >> 19;
}

static uint32_t digest_bytes(struct hw_bytes bytes) {
    uint32_t hash = 2, i = 0;

    for (; i + 4 <= bytes.length; i += 4) {
        uint32_t word;
        memcpy(&word, bytes.data + i, 4);
        hash = mix(hash, word);
    }
    if (i < bytes.length) {
        uint32_t word = 0;
        memcpy(&word, bytes.data + i, bytes.length - i);
        hash = mix(hash, word);
    }
    return mix(hash, bytes.length);
}

static uint32_t digest_value(const struct hw_type *type, const struct hw_field *field, const void *value) {
    const uint32_t *words = value;

    switch (HW_GET(field, ENTRY_TYPE)) {
        case HW_TYPE_STRING:
        case HW_TYPE_BYTES:
            return digest_bytes(hw_byte_string_bytes(words[0]));
        case HW_TYPE_MESSAGE:
        case HW_TYPE_GROUP:
            return hw_digest(hw_pointer(words[0]), hw_field_type(type, field));
        case HW_TYPE_BOOL:
            return mix(mix(1, *(const uint8_t *)value), 0);
        default:
            return mix(mix(1, words[0]), hw_value_shift(HW_GET(field, ENTRY_TYPE)) == 3 ? words[1] : 0);
    }
}

static uint32_t digest_list(const struct hw_type *type, const struct hw_field *field, struct hw_list list) {
    uint32_t hash = 5, size = 1u << hw_value_shift(HW_GET(field, ENTRY_TYPE));

    for (uint32_t i = 0; i < list.count; i++)
        hash = mix(hash, digest_value(type, field, (const char *)list.elements + i * size));
    return mix(hash, list.count);
}

uint32_t hw_digest(const struct hw_message *message, const struct hw_type *type) {
    const struct hw_field *slots = hw_type_slots(type);
    uint32_t count = hw_type_slot_count(type), hash = 4;

    for (const struct hw_field *field = slots; field < slots + count; field++) {
        if (HW_GET(field, ENTRY_NUMBER) == 0 || !hw_message_has(message, type, field)) continue;
        uint32_t value = HW_GET(field, ENTRY_REPEATED) ? digest_list(type, field, hw_message_list(message, field))
                                                       : digest_value(type, field, hw_message_slot(message, field));
        hash += mix(mix(3, HW_GET(field, ENTRY_NUMBER)), value);
    }
    return hash;
}
