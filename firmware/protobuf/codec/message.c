/* The fields of a message. The common kinds of fields are read here, in one loop that fits into a small instruction
 * cache. protobuf_read_field reads the others. */
#include "protobuf/codec/build.h"
#include "protobuf/codec/field.h"
#include "protobuf/codec/form.h"
#include "protobuf/codec/list.h"
#include "protobuf/codec/string.h"
#include "protobuf/codec/unknown.h"
#include "protobuf/codec/wire.h"
#include "runtime/initialized.h"
#include "runtime/registers.h"

#define SET(type) (1u << HW_TYPE_##type)
#define FLAG(name) (1u << HW_ENTRY_##name##_BIT)

#define VARINTS32 (SET(INT32) | SET(UINT32) | SET(ENUM))
#define VARINTS64 (SET(INT64) | SET(UINT64))

/* The field types that this loop reads, for each wire type. protobuf_read_field reads groups. */
static const uint32_t types_of[8] = {
    [WIRE_VARINT] = VARINTS32 | VARINTS64 | SET(BOOL) | SET(SINT32) | SET(SINT64),
    [WIRE_FIXED64] = SET(DOUBLE) | SET(FIXED64) | SET(SFIXED64),
    [WIRE_LENGTH] = SET(STRING) | SET(BYTES) | SET(MESSAGE),
    [WIRE_FIXED32] = SET(FLOAT) | SET(FIXED32) | SET(SFIXED32),
};

#define FIRST_KEY (1u << 3)
#define LAST_SHORT_KEY 0x7fu

/* Returns whether a table is well formed. Consecutive messages with the same table check it once. */
static inline bool sound(struct decoder *decoder, const struct hw_type *type) {
    if (decoder->valid == type) return true;
    if (!hw_type_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return false;
    decoder->valid = type;
    return true;
}

/* Returns whether the value at `at` has one byte and is in the range of the field's closed enum. */
static inline bool declared_byte(const struct hw_field *field, const uint8_t *at, const uint8_t *end) {
    return at < end && *at < 0x80 && *at >= (int16_t)HW_GET(field, ENTRY_ENUM_LOW) &&
           *at <= (int16_t)HW_GET(field, ENTRY_ENUM_HIGH);
}

static inline const uint8_t *read_reference(struct decoder *decoder, const struct hw_type *type,
                                            const struct hw_field *field, char *object, void *slot,
                                            const uint8_t *origin, const uint8_t *at, const uint8_t *end,
                                            uint32_t depth) {
    uint32_t length;

    if (LIKELY(at < end && *at < 0x80 && *at < end - at)) {
        length = *at++;
    } else {
        uint32_t longer;
        at = read_length(decoder, origin, at, end, &longer);
        if (!at) return NULL;
        length = longer;
    }
    if (HW_GET(field, ENTRY_TYPE) != HW_TYPE_MESSAGE)
        return protobuf_read_string(decoder, slot, origin, at, length, HW_GET(field, ENTRY_CHECK_UTF8));
    at = protobuf_read_message(decoder, hw_field_type(type, field), slot, 0, origin, at, at + length, depth);
    if (at && UNLIKELY(decoder->rejected)) {
        decoder->rejected = false;
        if (HW_GET(field, ENTRY_REPEATED)) /* a field of a map entry's type that is not repeated is no map */
            return protobuf_keep_entry(decoder, type, field, object, origin, at);
    }
    return at;
}

static inline const uint8_t *read_number(struct decoder *decoder, uint32_t type, uint32_t *slot, const uint8_t *origin,
                                         const uint8_t *at, const uint8_t *end) {
    const uint8_t *const start = at;
    uint32_t low = 0, high = 0, bits = 0, byte;

    do {
        if (UNLIKELY(at == end || bits == 28)) {
            uint64_t wide;
            at = protobuf_read_long_varint(decoder, origin, start, end, &wide);
            if (!at) return NULL;
            low = (uint32_t)wide, high = (uint32_t)(wide >> 32);
            break;
        }
        byte = *at++;
        low |= (byte & 0x7f) << bits;
        bits += 7;
    } while (byte >= 0x80);
    if (VARINTS32 >> type & 1)
        *slot = low;
    else if (VARINTS64 >> type & 1)
        slot[0] = low, slot[1] = high;
    else
        store_varint(protobuf_type_forms[type].form, slot, (uint64_t)high << 32 | low);
    return at;
}

static inline uint32_t word_at(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline const uint8_t *read_fixed(struct decoder *decoder, uint32_t wire, uint32_t *slot, const uint8_t *origin,
                                        const uint8_t *at, const uint8_t *end) {
    if (UNLIKELY(end - at < (wire == WIRE_FIXED32 ? 4 : 8))) return fail_past(decoder, end, origin);
    *slot = word_at(at);
    if (wire == WIRE_FIXED32) return at + 4;
    slot[1] = word_at(at + 4);
    return at + 8;
}

/* Ends a message. `gathered`: hasbits of the first word that are not stored yet. */
static inline void finish(struct decoder *decoder, const struct hw_type *type, char *object, uint32_t gathered) {
    uint32_t *hasbits = (uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET)),
             required = HW_GET(type, ADT_REQUIRED_COUNT);

    if (gathered != 0) *hasbits |= gathered;
    /* The required fields have the first hasbits. */
    if (required != 0 && required <= 32 && (~*hasbits & UINT32_MAX >> (32 - required)) == 0) return;
    if (required != 0 && !hw_message_has_required(object, type)) decoder->incomplete = true;
}

HOT const uint8_t *protobuf_read_message(struct decoder *decoder, const struct hw_type *type, hw_ref *place,
                                         uint32_t group, const uint8_t *origin, const uint8_t *at, const uint8_t *end,
                                         uint32_t depth) {
    if (UNLIKELY(depth == 0)) return fail(decoder, HW_STATUS_DEPTH_EXCEEDED, origin);
    if (UNLIKELY(!sound(decoder, type))) return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
    if (*place == 0 && UNLIKELY((*place = protobuf_new_message(decoder, type)) == 0))
        return fail(decoder, HW_STATUS_FIXED_ARENA_FULL, origin);

    char *object = hw_pointer(*place);
    const struct hw_field *const slots = hw_type_slots(type);
    const uint32_t last = HW_GET(type, ADT_LAST_SLOT);
    const bool many = HW_GET(type, ADT_HASBITS_WORDS) > 1;
    uint32_t hasbits = 0; /* to be added to the object's first word of hasbits */

    while (at < end) {
        const uint8_t *start = at;
        uint32_t key = *at++;

        if (UNLIKELY(key - FIRST_KEY > LAST_SHORT_KEY - FIRST_KEY)) {
            if (key > LAST_SHORT_KEY && at < end && *at - 1u < 0x7f) { /* a key of two bytes */
                key = (key & 0x7f) | (uint32_t)*at++ << 7;
            } else {
                uint32_t longer;
                at = protobuf_read_long_key(decoder, start, end, &longer);
                if (!at) return NULL;
                key = longer;
            }
        }
        uint32_t number = key >> 3, wire = key & 7;
        /* The upper fold does not change the number of a key of one or two bytes. hw_type_find looks up longer keys
         * again. */
        const struct hw_field *field = slots + ((number ^ number >> HW_ADT_FOLD0) & last);
        if (UNLIKELY(HW_GET(field, ENTRY_NUMBER) != number)) field = hw_type_find(type, number);

        if (LIKELY(field && types_of[wire] >> HW_GET(field, ENTRY_TYPE) & 1) &&
            (!HW_GET(field, ENTRY_CLOSED_ENUM) || LIKELY(declared_byte(field, at, end)))) {
            uint32_t entry = field->words[1], kind = HW_GET(field, ENTRY_TYPE), bit = HW_GET(field, ENTRY_HASBIT);
            void *slot = object + HW_GET(field, ENTRY_OFFSET);

            if (entry & FLAG(REPEATED)) {
                slot = protobuf_list_add(decoder, slot, protobuf_type_forms[kind].list_register,
                                         protobuf_type_forms[kind].shift, start);
                if (!slot) return NULL;
            } else {
                if (!many || bit < 32)
                    hasbits |= 1u << bit % 32;
                else
                    set_hasbit(type, object, bit);
                if (UNLIKELY(entry & FLAG(IN_ONEOF))) select_member(field, object, slot, kind == HW_TYPE_MESSAGE);
            }
            if (wire == WIRE_LENGTH)
                at = read_reference(decoder, type, field, object, slot, start, at, end, depth - 1);
            else if (wire == WIRE_VARINT)
                at = read_number(decoder, kind, slot, start, at, end);
            else
                at = read_fixed(decoder, wire, slot, start, at, end);
        } else if (wire == WIRE_END_GROUP) {
            if (group == 0 || number != group) return fail(decoder, HW_STATUS_BAD_GROUP, start);
            group = 0;
            break;
        } else {
            at = protobuf_read_field(decoder, type, field, object, key, start, at, end, depth - 1);
        }
        if (!at) return NULL;
    }
    if (UNLIKELY(group != 0)) return fail(decoder, HW_STATUS_BAD_GROUP, end);
    finish(decoder, type, object, hasbits);
    return at;
}
