#include "protobuf/codec/codec.h"

#include <string.h>

#include "protobuf/codec/encoder.h"
#include "runtime/registers.h"
#include "runtime/thread.h"

static OFTEN uint8_t *put_message(struct encoder *encoder, uint8_t *at, const struct hw_type *type, hw_ref reference,
                                  uint32_t depth);

/* The elements of a list; an empty list has a `count` of 0. */
struct elements {
    const uint8_t *values;
    uint32_t count;
};

static OFTEN bool open_list(struct encoder *encoder, hw_ref reference, uint32_t shift, struct elements *elements) {
    const struct hw_array_list *list = object_at(encoder, reference, HW_OBJECT_ARRAY_LIST_SIZE);

    elements->count = list ? list->count : 0;
    if (elements->count == 0) return list != NULL;
    const struct hw_array *array = array_at(encoder, list->array, shift, reference);

    if (!array) return false;
    elements->values = array->elements;
    return list->count <= array->length || refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
}

/* Writes unknown fields, which follow all others on the wire. */
static COLD_CALL uint8_t *put_unknown(struct encoder *encoder, uint8_t *at, hw_ref reference) {
    struct elements bytes;

    if (!open_list(encoder, reference, 0, &bytes)) return NULL;
    if (bytes.count == 0) return at;
    at = take(encoder, at, bytes.count);
    return at ? memcpy(at, bytes.values, bytes.count) : NULL;
}

/* Returns whether a table is well formed. Consecutive messages with the same table check it once. */
static inline bool sound(struct encoder *encoder, const struct hw_type *type) {
    if (encoder->valid == type) return true;
    if (!hw_type_ordered_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return false;
    encoder->valid = type;
    return true;
}

/* Writes a submessage or group with its keys or length. */
static inline uint8_t *put_submessage(struct encoder *encoder, uint8_t *at, const struct hw_type *type,
                                      const struct hw_field *field, hw_ref reference, uint32_t depth) {
    const struct hw_type *sub = hw_field_type(type, field);
    bool group = HW_GET(field, ENTRY_TYPE) == HW_TYPE_GROUP;

    if (UNLIKELY(depth == 0)) return refuse(encoder, HW_STATUS_DEPTH_EXCEEDED, reference);
    if (UNLIKELY(!sound(encoder, sub))) return refuse(encoder, HW_STATUS_BAD_DESCRIPTOR, reference);
    if (UNLIKELY(group) && !(at = put_varint32(encoder, at, HW_GET(field, ENTRY_KEY) + 1))) return NULL;
    uint8_t *end = at;

    at = put_message(encoder, at, sub, reference, depth - 1);
    if (at && LIKELY(!group)) at = put_varint32(encoder, at, (uint32_t)(end - at));
    return at ? put_varint32(encoder, at, HW_GET(field, ENTRY_KEY)) : NULL;
}

static OFTEN uint8_t *put_list(struct encoder *encoder, uint8_t *at, const struct hw_type *type,
                               const struct hw_field *field, hw_ref reference, uint32_t depth) {
    uint32_t kind = HW_GET(field, ENTRY_TYPE), key = HW_GET(field, ENTRY_KEY);
    struct elements list;

    if (!open_list(encoder, reference, hw_value_shift(kind), &list)) return NULL;
    if (!hw_type_is_reference(kind)) {
        uint8_t *end = at;

        if (!HW_GET(field, ENTRY_PACKED) || list.count == 0)
            return protobuf_put_scalars(encoder, at, kind, list.values, list.count, key);
        at = protobuf_put_scalars(encoder, at, kind, list.values, list.count, 0);
        if (at) at = put_varint32(encoder, at, (uint32_t)(end - at));
        return at ? put_varint32(encoder, at, key) : NULL;
    }
    const hw_ref *first = (const hw_ref *)(const void *)list.values;

    for (const hw_ref *element = first + list.count; at && element > first;) {
        if (*--element == 0) return refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
        if (kind == HW_TYPE_MESSAGE || kind == HW_TYPE_GROUP)
            at = put_submessage(encoder, at, type, field, *element, depth);
        else
            at = protobuf_put_string(encoder, at, *element, field);
    }
    return at;
}

/* Writes a present field whose reference is null: an empty byte string, message or group, unless the message is
 * required. `owner` is the message with the field. */
static __attribute__((noinline)) uint8_t *put_absent(struct encoder *encoder, uint8_t *at, const struct hw_field *field,
                                                     hw_ref owner) {
    uint32_t key = HW_GET(field, ENTRY_KEY), kind = HW_GET(field, ENTRY_TYPE), presence = HW_GET(field, ENTRY_PRESENCE);
    bool text = kind == HW_TYPE_STRING || kind == HW_TYPE_BYTES;

    if (text && presence == HW_ADT_PRESENCE_IMPLICIT) return at;
    if (!text && presence == HW_ADT_PRESENCE_REQUIRED) return refuse(encoder, HW_STATUS_MISSING_REQUIRED, owner);
    at = put_varint32(encoder, at, kind == HW_TYPE_GROUP ? key + 1 : 0);
    return at ? put_varint32(encoder, at, key) : NULL;
}

static inline bool has(const uint32_t *hasbits, const struct hw_field *field) {
    uint32_t bit = HW_GET(field, ENTRY_HASBIT);

    return hasbits[bit / 32] >> bit % 32 & 1;
}

/* Writes the fields of a message, the highest number first. */
static uint8_t *put_message(struct encoder *encoder, uint8_t *at, const struct hw_type *type, hw_ref reference,
                            uint32_t depth) {
    const char *object = object_at(encoder, reference, HW_GET(type, ADT_OBJECT_SIZE));
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);
    uint32_t offset = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET);

    if (!object) return NULL;
    if (((const struct hw_object *)(const void *)object)->klass != HW_GET(type, ADT_KLASS))
        return refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
    const uint32_t *hasbits = (const uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET));
    hw_ref unknown = offset != HW_ADT_NO_OFFSET ? *(const hw_ref *)(object + offset) : 0;

    /* The singleton of the class is empty and need not lie within the bounds. */
    if (unknown != 0 && unknown != hw_registers[HW_REG_UNKNOWN_FIELDS]) at = put_unknown(encoder, at, unknown);

    for (; at && field < end; field++) {
        const uint32_t presence = HW_GET(field, ENTRY_PRESENCE), kind = HW_GET(field, ENTRY_TYPE);
        const void *slot = object + HW_GET(field, ENTRY_OFFSET);

        if (presence == HW_ADT_PRESENCE_HASBIT) {
            if (!has(hasbits, field)) continue;
        } else if (presence == HW_ADT_PRESENCE_REFERENCE) {
            if (*(const hw_ref *)slot == 0) continue;
            if (HW_GET(field, ENTRY_REPEATED)) {
                at = put_list(encoder, at, type, field, *(const hw_ref *)slot, depth);
                continue;
            }
        } else if (presence == HW_ADT_PRESENCE_CASE) {
            if (*(const uint32_t *)(object + HW_GET(field, ENTRY_CASE_OFFSET)) != HW_GET(field, ENTRY_KEY) >> 3)
                continue;
        } else if (presence == HW_ADT_PRESENCE_REQUIRED && !has(hasbits, field)) {
            return refuse(encoder, HW_STATUS_MISSING_REQUIRED, reference);
        }
        if (!hw_type_is_reference(kind)) {
            uint8_t *behind = at;

            at = put_scalar(encoder, at, kind, slot, presence == HW_ADT_PRESENCE_IMPLICIT);
            if (at && at != behind) at = put_varint32(encoder, at, HW_GET(field, ENTRY_KEY));
        } else if (*(const hw_ref *)slot == 0) {
            at = put_absent(encoder, at, field, reference);
        } else if (kind == HW_TYPE_MESSAGE || kind == HW_TYPE_GROUP) {
            at = put_submessage(encoder, at, type, field, *(const hw_ref *)slot, depth);
        } else {
            at = protobuf_put_string(encoder, at, *(const hw_ref *)slot, field);
        }
    }
    return at;
}

struct hw_protobuf_codec_bytes hw_protobuf_codec_write(const struct hw_type *type, hw_ref object, uint32_t max_depth,
                                                       uint8_t *output, uint32_t size, uint32_t bound, uint32_t limit) {
    if ((uintptr_t)output + size < (uintptr_t)output || bound > limit)
        return (struct hw_protobuf_codec_bytes){.status = HW_STATUS_OUT_OF_BOUNDS};
    struct encoder encoder = {.output = output, .bound = bound, .span = limit - bound};
    uint32_t depth =
        max_depth != 0 && max_depth < HW_PROTOBUF_CODEC_MAX_DEPTH ? max_depth : HW_PROTOBUF_CODEC_MAX_DEPTH;

    if (!sound(&encoder, type))
        return (struct hw_protobuf_codec_bytes){.status = HW_STATUS_BAD_DESCRIPTOR, .at = object};
    depth = hw_stack_levels(depth + 1, HW_PROTOBUF_CODEC_WRITE_STACK);
    if (depth == 0) return (struct hw_protobuf_codec_bytes){.status = HW_STATUS_DEPTH_EXCEEDED, .at = object};
    uint8_t *start = put_message(&encoder, output + size, type, object, depth - 1);

    if (!start) return (struct hw_protobuf_codec_bytes){.status = encoder.status, .at = encoder.fault};
    return (struct hw_protobuf_codec_bytes){.start = start, .length = (uint32_t)(output + size - start)};
}
