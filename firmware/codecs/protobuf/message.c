/* The fields of a message. What most fields are (strings, messages, varints and fixed words, none of them of a oneof) is
 * read here, in one loop that fits into a small instruction cache; all else is read_field's. */
#include "codecs/protobuf/build.h"
#include "codecs/protobuf/field.h"
#include "codecs/protobuf/form.h"
#include "codecs/protobuf/list.h"
#include "codecs/protobuf/string.h"
#include "codecs/protobuf/unknown.h"
#include "codecs/protobuf/wire.h"
#include "runtime/initialized.h"
#include "runtime/registers.h"

#define SET(type) (1u << HW_TYPE_##type)
#define FLAG(name) (1u << HW_ENTRY_##name##_BIT)

/* Sets of types by how they are read. */
#define STRINGS (SET(STRING) | SET(BYTES))
#define VARINTS32 (SET(INT32) | SET(UINT32) | SET(ENUM))
#define VARINTS64 (SET(INT64) | SET(UINT64))

#define FIRST_KEY (1u << 3)
#define LAST_SHORT_KEY 0x7fu

/* Whether a table is well formed: asked once for all of a command's messages that follow each other with the same one. */
static inline bool sound(struct decoder *decoder, const struct hw_type *type)
{
    if (decoder->valid == type)
        return true;
    decoder->valid = type;
    return hw_type_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]);
}

static inline void mark_present(const struct hw_type *type, char *object, uint32_t bit, bool many, uint32_t *first)
{
    if (!many || bit < 32)
        *first |= 1u << bit % 32;
    else
        *(uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + bit / 32 * 4) |= 1u << bit % 32;
}

/* The end of a message, whose first hasbits have gathered. */
static inline void finish(struct decoder *decoder, const struct hw_type *type, char *object, uint32_t gathered)
{
    uint32_t *hasbits = (uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET)), required = HW_GET(type, ADT_REQUIRED_COUNT);

    if (gathered != 0)
        *hasbits |= gathered;
    /* The required fields have the first hasbits. */
    if (required != 0 && required <= 32 && (~*hasbits & UINT32_MAX >> (32 - required)) == 0)
        return;
    if (required != 0 && !hw_message_has_required(object, type))
        decoder->incomplete = true;
}

HOT const uint8_t *read_message(struct decoder *decoder, const struct hw_type *type, hw_ref *place, uint32_t group,
                                const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth)
{
    if (UNLIKELY(depth == 0))
        return fail(decoder, HW_STATUS_DEPTH_EXCEEDED, origin);
    if (UNLIKELY(!sound(decoder, type)))
        return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
    if (*place == 0 && UNLIKELY((*place = new_message(decoder, type)) == 0))
        return fail(decoder, HW_STATUS_FIXED_ARENA_FULL, origin);

    char *object = hw_pointer(*place);
    const struct hw_field *const slots = hw_type_slots(type);
    const uint32_t mask = hw_type_slot_count(type) - 1, shift = HW_GET(type, ADT_SHIFT);
    const bool many = HW_GET(type, ADT_HASBITS_WORDS) > 1;
    uint32_t hasbits = 0; /* what the first word of the object's gets */

    while (at < end) {
        const uint8_t *start = at;
        uint32_t key = *at++, low, high = 0;

        if (UNLIKELY(key - FIRST_KEY > LAST_SHORT_KEY - FIRST_KEY)) {
            uint32_t longer;
            at = read_long_key(decoder, start, end, &longer);
            if (!at)
                return NULL;
            key = longer;
        }
        uint32_t number = key >> 3;
        const struct hw_field *field = slots + ((number ^ number >> shift) & mask);
        if (UNLIKELY(HW_GET(field, ENTRY_NUMBER) != number) && !(field = hw_type_find(type, number)))
            goto other;

        uint32_t entry = field->words[1], kind = 1u << HW_GET(field, ENTRY_TYPE);
        void *slot = object + HW_GET(field, ENTRY_OFFSET);

        if ((key & 7) == WIRE_LENGTH) {
            if (!(kind & (STRINGS | SET(MESSAGE))) || (entry & FLAG(IN_ONEOF)))
                goto other;
            if (entry & FLAG(REPEATED)) {
                slot = list_add(decoder, slot, HW_REG_KLASS_OBJECT_ARRAY_LIST, 2, start);
                if (!slot)
                    return NULL;
            } else {
                mark_present(type, object, HW_GET(field, ENTRY_HASBIT), many, &hasbits);
            }
            if (LIKELY(at < end && *at < 0x80 && *at < end - at)) {
                low = *at++;
            } else {
                uint32_t length;
                at = read_length(decoder, start, at, end, &length);
                if (!at)
                    return NULL;
                low = length;
            }
            if (kind & SET(MESSAGE)) {
                at = read_message(decoder, hw_field_type(type, field), slot, 0, start, at, at + low, depth - 1);
                if (!at)
                    return NULL;
                if (UNLIKELY(decoder->rejected)) {
                    decoder->rejected = false;
                    if ((entry & FLAG(REPEATED)) && !keep_entry(decoder, type, field, object, start, at))
                        return NULL;
                }
            } else {
                at = read_string(decoder, slot, start, at, low, entry & FLAG(CHECK_UTF8));
                if (!at)
                    return NULL;
            }
            continue;
        }
        if (entry & (FLAG(REPEATED) | FLAG(IN_ONEOF)))
            goto other;
        if ((key & 7) == WIRE_VARINT && LIKELY(kind & (VARINTS32 | VARINTS64))) {
            const uint8_t *value = at;

            uint32_t bits = 0, byte;

            low = 0;
            do {
                if (UNLIKELY(at == end || bits == 28)) {
                    uint64_t wide;
                    at = read_long_varint(decoder, start, value, end, &wide);
                    if (!at)
                        return NULL;
                    low = (uint32_t)wide, high = (uint32_t)(wide >> 32);
                    break;
                }
                byte = *at++;
                low |= (byte & 0x7f) << bits;
                bits += 7;
            } while (byte >= 0x80);
            if (kind & VARINTS64) {
                ((uint32_t *)slot)[0] = low, ((uint32_t *)slot)[1] = high;
            } else {
                if ((entry & FLAG(CLOSED_ENUM)) && UNLIKELY(!declares(type, field, (int32_t)low))) {
                    at = value;
                    goto other;
                }
                *(uint32_t *)slot = low;
            }
            mark_present(type, object, HW_GET(field, ENTRY_HASBIT), many, &hasbits);
            continue;
        }
    other:
        if ((key & 7) == WIRE_END_GROUP) {
            if (group == 0 || number != group)
                return fail(decoder, HW_STATUS_BAD_GROUP, start);
            group = 0;
            break;
        }
        if ((key & 7) > WIRE_FIXED32)
            return fail(decoder, HW_STATUS_BAD_WIRE_TYPE, start);
        at = read_field(decoder, type, field, object, key, start, at, end, depth - 1);
        if (!at)
            return NULL;
    }
    if (UNLIKELY(group != 0))
        return fail(decoder, HW_STATUS_BAD_GROUP, end);
    finish(decoder, type, object, hasbits);
    return at;
}
