#include "protobuf/codec/codec.h"

#include <string.h>

#include "protobuf/codec/encoder.h"
#include "protobuf/codec/string.h"
#include "runtime/registers.h"
#include "runtime/thread.h"

static __attribute__((hot)) bool put_message(struct encoder *encoder, const struct hw_type *type, hw_ref reference,
                                             uint32_t depth);

/* The elements of a list; an empty list has a `count` of 0. */
struct elements {
    const uint8_t *values;
    uint32_t count;
};

static __attribute__((hot)) bool open_list(struct encoder *encoder, hw_ref reference, uint32_t shift,
                                           struct elements *elements) {
    const struct hw_array_list *list = object_at(encoder, reference, HW_OBJECT_ARRAY_LIST_SIZE);

    elements->count = list ? list->count : 0;
    if (elements->count == 0) return list != NULL;
    const struct hw_array *array = array_at(encoder, list->array, shift, reference);

    if (!array) return false;
    elements->values = array->elements;
    return list->count <= array->length || refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
}

/* Writes the unknown fields, which follow all others on the wire. The singleton is empty and need not lie within the
 * bounds. */
static bool put_unknown(struct encoder *encoder, const struct hw_type *type, const char *object) {
    uint32_t offset = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET);
    hw_ref reference = offset != HW_ADT_NO_OFFSET ? *(const hw_ref *)(object + offset) : 0;
    struct elements bytes;

    if (reference == 0 || reference == hw_registers[HW_REG_UNKNOWN_FIELDS]) return true;
    if (!open_list(encoder, reference, 0, &bytes)) return false;
    if (bytes.count == 0) return true;
    uint8_t *to = take(encoder, bytes.count);

    if (to) memcpy(to, bytes.values, bytes.count);
    return to != NULL;
}

/* Returns the bytes of a byte string; none for a null reference. */
static bool open_string(struct encoder *encoder, hw_ref reference, struct elements *bytes) {
    *bytes = (struct elements){0};
    if (reference == 0) return true;
    const struct hw_byte_string *string = object_at(encoder, reference, HW_OBJECT_BYTE_STRING_SIZE);
    const struct hw_array *array = string ? array_at(encoder, string->bytes, 0, reference) : NULL;

    if (array) *bytes = (struct elements){array->elements, array->length};
    return array != NULL;
}

static __attribute__((hot)) bool put_string(struct encoder *encoder, hw_ref reference, const struct elements *bytes,
                                            const struct hw_field *field) {
    if (HW_GET(field, ENTRY_CHECK_UTF8) && !protobuf_utf8_valid(bytes->values, bytes->count))
        return refuse(encoder, HW_STATUS_INVALID_UTF8, reference);
    uint8_t *to = take(encoder, bytes->count);

    if (!to) return false;
    if (bytes->count != 0) memcpy(to, bytes->values, bytes->count);
    return put_varint32(encoder, bytes->count) && put_varint32(encoder, HW_GET(field, ENTRY_KEY));
}

/* Writes a submessage or group with its keys or length. */
static __attribute__((hot)) bool put_submessage(struct encoder *encoder, const struct hw_type *type,
                                                const struct hw_field *field, hw_ref reference, uint32_t depth) {
    const struct hw_type *sub = hw_field_type(type, field);
    uint32_t key = HW_GET(field, ENTRY_KEY);
    bool group = HW_GET(field, ENTRY_TYPE) == HW_TYPE_GROUP;
    hw_ref outer = encoder->message;

    if (depth == 0) return refuse(encoder, HW_STATUS_DEPTH_EXCEEDED, reference);
    if (!hw_type_ordered_valid(hw_reference(sub), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return refuse(encoder, HW_STATUS_BAD_DESCRIPTOR, reference);
    if (group && !put_varint32(encoder, key + 1)) return false;
    uint8_t *end = encoder->at;

    if (!put_message(encoder, sub, reference, depth - 1)) return false;
    encoder->message = outer;
    return (group || put_varint32(encoder, (uint32_t)(end - encoder->at))) && put_varint32(encoder, key);
}

static bool put_list(struct encoder *encoder, const struct hw_type *type, const struct hw_field *field,
                     hw_ref reference, uint32_t depth) {
    uint32_t kind = HW_GET(field, ENTRY_TYPE), key = HW_GET(field, ENTRY_KEY);
    struct elements list, bytes;

    if (!open_list(encoder, reference, hw_value_shift(kind), &list)) return false;
    if (!hw_type_is_reference(kind)) {
        uint8_t *end = encoder->at;

        if (!HW_GET(field, ENTRY_PACKED) || list.count == 0)
            return protobuf_put_scalars(encoder, kind, list.values, list.count, key);
        return protobuf_put_scalars(encoder, kind, list.values, list.count, 0) &&
               put_varint32(encoder, (uint32_t)(end - encoder->at)) && put_varint32(encoder, key);
    }
    const hw_ref *first = (const hw_ref *)(const void *)list.values;

    for (const hw_ref *element = first + list.count; element > first;) {
        if (*--element == 0) return refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
        if (kind == HW_TYPE_MESSAGE || kind == HW_TYPE_GROUP) {
            if (!put_submessage(encoder, type, field, *element, depth)) return false;
        } else if (!open_string(encoder, *element, &bytes) || !put_string(encoder, *element, &bytes, field)) {
            return false;
        }
    }
    return true;
}

static bool is_zero(uint32_t kind, const void *slot) {
    switch (hw_value_shift(kind)) {
        case 0:
            return *(const uint8_t *)slot == 0;
        case 2:
            return *(const uint32_t *)slot == 0;
        default:
            return *(const uint64_t *)slot == 0;
    }
}

/* Writes a present message field whose reference is null: an empty message or group, unless it is required. */
static bool put_absent(struct encoder *encoder, const struct hw_field *field, uint32_t presence) {
    uint32_t key = HW_GET(field, ENTRY_KEY);
    bool group = HW_GET(field, ENTRY_TYPE) == HW_TYPE_GROUP;

    if (presence == HW_ADT_PRESENCE_REQUIRED) return refuse(encoder, HW_STATUS_MISSING_REQUIRED, encoder->message);
    return put_varint32(encoder, group ? key + 1 : 0) && put_varint32(encoder, key);
}

/* Writes a singular field that is present. Only for implicit presence, the value decides whether it is. */
static bool put_singular(struct encoder *encoder, const struct hw_type *type, const struct hw_field *field,
                         const void *slot, uint32_t depth) {
    uint32_t kind = HW_GET(field, ENTRY_TYPE), presence = HW_GET(field, ENTRY_PRESENCE);
    hw_ref reference;
    struct elements bytes;

    switch (kind) {
        case HW_TYPE_STRING:
        case HW_TYPE_BYTES:
            reference = *(const hw_ref *)slot;
            if (!open_string(encoder, reference, &bytes)) return false;
            return (bytes.count == 0 && presence == HW_ADT_PRESENCE_IMPLICIT) ||
                   put_string(encoder, reference, &bytes, field);
        case HW_TYPE_MESSAGE:
        case HW_TYPE_GROUP:
            reference = *(const hw_ref *)slot;
            if (reference == 0) return put_absent(encoder, field, presence);
            return put_submessage(encoder, type, field, reference, depth);
        default:
            return (presence == HW_ADT_PRESENCE_IMPLICIT && is_zero(kind, slot)) ||
                   (protobuf_put_scalar(encoder, kind, slot) && put_varint32(encoder, HW_GET(field, ENTRY_KEY)));
    }
}

static inline bool has(const struct hw_type *type, const char *object, const struct hw_field *field) {
    uint32_t bit = HW_GET(field, ENTRY_HASBIT);

    return *(const uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + bit / 32 * 4) >> bit % 32 & 1;
}

static inline bool put_field(struct encoder *encoder, const struct hw_type *type, const char *object,
                             const struct hw_field *field, uint32_t depth) {
    const void *slot = object + HW_GET(field, ENTRY_OFFSET);

    switch (HW_GET(field, ENTRY_PRESENCE)) {
        case HW_ADT_PRESENCE_HASBIT:
            if (!has(type, object, field)) return true;
            break;
        case HW_ADT_PRESENCE_REFERENCE:
            if (*(const hw_ref *)slot == 0) return true;
            if (HW_GET(field, ENTRY_REPEATED)) return put_list(encoder, type, field, *(const hw_ref *)slot, depth);
            break;
        case HW_ADT_PRESENCE_CASE:
            if (*(const uint32_t *)(object + HW_GET(field, ENTRY_CASE_OFFSET)) != HW_GET(field, ENTRY_KEY) >> 3)
                return true;
            break;
        case HW_ADT_PRESENCE_REQUIRED:
            if (!has(type, object, field)) return refuse(encoder, HW_STATUS_MISSING_REQUIRED, encoder->message);
            break;
        default:
            break;
    }
    return put_singular(encoder, type, field, slot, depth);
}

/* Writes the fields of a message, the highest number first. */
static bool put_message(struct encoder *encoder, const struct hw_type *type, hw_ref reference, uint32_t depth) {
    const char *object = object_at(encoder, reference, HW_GET(type, ADT_OBJECT_SIZE));
    const struct hw_field *field = hw_type_ordered(type), *end = field + HW_GET(type, ADT_FIELD_COUNT);

    if (!object) return false;
    encoder->message = reference;
    if (((const struct hw_object *)(const void *)object)->klass != HW_GET(type, ADT_KLASS))
        return refuse(encoder, HW_STATUS_BAD_OBJECT, reference);
    if (!put_unknown(encoder, type, object)) return false;
    for (; field < end; field++)
        if (!put_field(encoder, type, object, field, depth)) return false;
    return true;
}

struct hw_protobuf_codec_bytes hw_protobuf_codec_write(const struct hw_type *type, hw_ref object, uint32_t max_depth,
                                                       uint8_t *output, uint32_t size, uint32_t bound, uint32_t limit) {
    if ((uintptr_t)output + size < (uintptr_t)output || bound > limit)
        return (struct hw_protobuf_codec_bytes){.status = HW_STATUS_OUT_OF_BOUNDS};
    struct encoder encoder = {.at = output + size, .output = output, .bound = bound, .span = limit - bound};
    uint32_t depth =
        max_depth != 0 && max_depth < HW_PROTOBUF_CODEC_MAX_DEPTH ? max_depth : HW_PROTOBUF_CODEC_MAX_DEPTH;

    if (!hw_type_ordered_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return (struct hw_protobuf_codec_bytes){.status = HW_STATUS_BAD_DESCRIPTOR, .at = object};
    depth = hw_stack_levels(depth + 1, HW_PROTOBUF_CODEC_WRITE_STACK);
    if (depth == 0) return (struct hw_protobuf_codec_bytes){.status = HW_STATUS_DEPTH_EXCEEDED, .at = object};
    if (!put_message(&encoder, type, object, depth - 1))
        return (struct hw_protobuf_codec_bytes){.status = encoder.status, .at = encoder.fault};
    return (struct hw_protobuf_codec_bytes){.start = encoder.at, .length = (uint32_t)(output + size - encoder.at)};
}
