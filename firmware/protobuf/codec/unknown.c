#include "protobuf/codec/unknown.h"

#include <string.h>

#include "protobuf/codec/list.h"
#include "protobuf/codec/wire.h"
#include "runtime/registers.h"

#define MAX_KEY_BYTES 5

/* Returns room for `bytes` more bytes of unknown fields; NULL, with the error, if there is none. */
static uint8_t *room(struct decoder *decoder, hw_ref *slot, uint32_t bytes, const uint8_t *origin) {
    if (*slot == hw_registers[HW_REG_UNKNOWN_FIELDS]) *slot = 0;
    struct hw_array_list *list = protobuf_list_open(decoder, slot, HW_REG_KLASS_BYTE_ARRAY_LIST, origin);

    return list ? protobuf_list_extend(decoder, list, HW_REG_KLASS_BYTE_ARRAY_LIST, 0, bytes, origin) : NULL;
}

static bool keep(struct decoder *decoder, const struct hw_type *type, char *object, const uint8_t *from, uint32_t bytes,
                 const uint8_t *origin) {
    uint32_t offset = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET);

    if (offset == HW_ADT_NO_OFFSET) return true;
    uint8_t *to = room(decoder, (hw_ref *)(object + offset), bytes, origin);

    if (to) memcpy(to, from, bytes);
    return to != NULL;
}

const uint8_t *protobuf_keep_field(struct decoder *decoder, const struct hw_type *type, char *object,
                                   const uint8_t *origin, const uint8_t *end) {
    return keep(decoder, type, object, origin, (uint32_t)(end - origin), origin) ? end : NULL;
}

static uint32_t put_varint(uint8_t *to, uint64_t value) {
    uint32_t bytes = 0;

    for (; value >= 0x80; value >>= 7) to[bytes++] = (uint8_t)value | 0x80;
    to[bytes++] = (uint8_t)value;
    return bytes;
}

const uint8_t *protobuf_keep_numbers(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                     char *object, const uint8_t *at, const uint8_t *end) {
    uint8_t bytes[MAX_KEY_BYTES + MAX_VARINT_BYTES];
    uint32_t key_bytes = put_varint(bytes, (uint64_t)HW_GET(field, ENTRY_NUMBER) << 3 | WIRE_VARINT);
    uint64_t value;

    while (at < end) {
        const uint8_t *origin = at;
        at = read_varint(decoder, origin, at, end, &value);
        if (!at) return NULL;
        if (declares(type, field, (int32_t)value)) continue;
        uint32_t length = key_bytes + put_varint(bytes + key_bytes, (uint64_t)(int64_t)(int32_t)value);
        if (!keep(decoder, type, object, bytes, length, origin)) return NULL;
    }
    return end;
}

const uint8_t *protobuf_keep_entry(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                   char *object, const uint8_t *origin, const uint8_t *end) {
    const hw_ref *slot = (const hw_ref *)(object + HW_GET(field, ENTRY_OFFSET));
    struct hw_array_list *list = hw_pointer(*slot);

    decoder->rejected = false;
    list->count--;
    ((hw_ref *)hw_array_bytes(list->array))[list->count] = 0;
    return protobuf_keep_field(decoder, type, object, origin, end);
}
