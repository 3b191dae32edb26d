/* Messages and their fields. The common kinds of fields are read in one loop that fits into a small instruction
 * cache; read_field reads the others. */
#include "protobuf/codec/codec.h"

#include "protobuf/codec/decoder.h"
#include "protobuf/codec/string.h"
#include "runtime/message.h"
#include "runtime/registers.h"
#include "runtime/thread.h"

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

/* Returns a new message; 0 if there is no room. */
static HOT hw_ref new_message(struct decoder *decoder, const struct hw_type *type) {
    hw_ref taken = hw_arena_take(&decoder->fixed, HW_GET(type, ADT_OBJECT_SIZE));

    if (taken) initialize(taken, type);
    return taken;
}

static inline void set_hasbit(const struct hw_type *type, char *object, uint32_t bit) {
    *(uint32_t *)(object + HW_GET(type, ADT_HASBITS_OFFSET) + bit / 32 * 4) |= 1u << bit % 32;
}

/* Makes this field the set member of its oneof. A message of another member is not merged into. */
static inline void select_member(const struct hw_field *field, char *object, void *slot, bool message) {
    uint32_t *member = (uint32_t *)(object + HW_GET(field, ENTRY_CASE_OFFSET)), number = HW_GET(field, ENTRY_NUMBER);

    if (message && *member != number) *(hw_ref *)slot = 0;
    *member = number;
}

/* Reads the fields of the message or group to which `slot` refers; if `slot` is null, of a new one of `type`. Reads
 * from `at` to `end`, or to the end of `group` if that is not 0. `origin` is the address of the key of the field that
 * contains the message. `depth` messages may be open, this one included. */
static const uint8_t *read_message(struct decoder *decoder, const struct hw_type *type, hw_ref *slot, uint32_t group,
                                   const uint8_t *origin, const uint8_t *at, const uint8_t *end, uint32_t depth);

/* Returns where an occurrence of the field stores its value. Marks a singular field as present. */
static void *make_place(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                        const struct type_form *form, char *object, const uint8_t *origin) {
    void *slot = object + HW_GET(field, ENTRY_OFFSET);

    if (HW_GET(field, ENTRY_REPEATED))
        return protobuf_list_add(decoder, slot, form->list_register, form->shift, origin);
    set_hasbit(type, object, HW_GET(field, ENTRY_HASBIT));
    if (HW_GET(field, ENTRY_IN_ONEOF)) select_member(field, object, slot, form->form == GROUP);
    return slot;
}

/* Stores an undeclared value in the unknown fields only: those of the message or, if the message is a map entry, those
 * of the message with the map. */
static const uint8_t *keep_undeclared(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                      char *object, const uint8_t *origin, const uint8_t *end) {
    if (HW_GET(type, ADT_MAP_ENTRY) && HW_GET(field, ENTRY_NUMBER) == 2) decoder->rejected = true;
    return protobuf_keep_field(decoder, type, object, origin, end);
}

/* Reads a number of a closed enum. For a malformed number, an error of making room for it comes first. */
static const uint8_t *read_enum(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                const struct type_form *form, char *object, const uint8_t *origin, const uint8_t *at,
                                const uint8_t *end) {
    uint64_t value;
    const uint8_t *next = read_varint(decoder, origin, at, end, &value);

    if (next && !declares(type, field, (int32_t)value))
        return keep_undeclared(decoder, type, field, object, origin, next);
    void *slot = make_place(decoder, type, field, form, object, origin);

    if (!slot) return NULL;
    if (next) store_varint(form->form, slot, value);
    return next;
}

static const uint8_t *read_group(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                 const struct type_form *form, char *object, const uint8_t *origin, const uint8_t *at,
                                 const uint8_t *end, uint32_t depth) {
    hw_ref *slot = make_place(decoder, type, field, form, object, origin);

    if (!slot) return NULL;
    at = read_message(decoder, hw_field_type(type, field), slot, HW_GET(field, ENTRY_NUMBER), origin, at, end, depth);
    decoder->rejected = false;
    return at;
}

/* Reads the fields that read_message does not: groups, closed enums, packed fields and unknown fields. Their key has
 * been read. `field` may be NULL for an unknown field. */
static __attribute__((noinline)) const uint8_t *read_field(struct decoder *decoder, const struct hw_type *type,
                                                           const struct hw_field *field, char *object, uint32_t key,
                                                           const uint8_t *origin, const uint8_t *at, const uint8_t *end,
                                                           uint32_t depth) {
    const struct type_form *form = &protobuf_type_forms[field ? HW_GET(field, ENTRY_TYPE) : 0];
    uint32_t wire = key & 7;

    if (wire > WIRE_FIXED32) return fail(decoder, HW_STATUS_BAD_WIRE_TYPE, origin);
    if (field && form->form == NONE) return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
    if (field && wire == form->wire)
        return form->form == GROUP ? read_group(decoder, type, field, form, object, origin, at, end, depth)
                                   : read_enum(decoder, type, field, form, object, origin, at, end);
    if (field && wire == WIRE_LENGTH && HW_GET(field, ENTRY_REPEATED) && form->form != GROUP)
        return protobuf_read_packed(decoder, type, field, form, object, origin, at, end);
    /* The field is unknown, or has a wire type that its type cannot have. */
    at = protobuf_skip_value(decoder, origin, key, at, end, depth);
    return at ? protobuf_keep_field(decoder, type, object, origin, at) : NULL;
}

#define SET(type) (1u << HW_TYPE_##type)
#define FLAG(name) (1u << HW_ENTRY_##name##_BIT)

#define VARINTS32 (SET(INT32) | SET(UINT32) | SET(ENUM))
#define VARINTS64 (SET(INT64) | SET(UINT64))

/* The field types that this loop reads, for each wire type. read_field reads groups. */
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
        at = protobuf_read_long_length(decoder, origin, at, end, &longer);
        if (!at) return NULL;
        length = longer;
    }
    if (HW_GET(field, ENTRY_TYPE) != HW_TYPE_MESSAGE)
        return protobuf_read_string(decoder, slot, origin, at, length, HW_GET(field, ENTRY_CHECK_UTF8));
    at = read_message(decoder, hw_field_type(type, field), slot, 0, origin, at, at + length, depth);
    if (at && UNLIKELY(decoder->rejected)) {
        decoder->rejected = false;
        if (HW_GET(field, ENTRY_REPEATED)) /* a field of a map entry's type that is not repeated is no map */
            return protobuf_keep_entry(decoder, type, field, object, origin, at);
    }
    return at;
}

static inline const uint8_t *read_number(struct decoder *decoder, uint32_t type, uint32_t *slot, const uint8_t *origin,
                                         const uint8_t *at, const uint8_t *end) {
    uint32_t low = 1, high = 0;
    uint64_t wide;

    ADD_BYTE(low, 0, at, end, complete, cut);
    ADD_BYTE(low, 7, at, end, complete, cut);
    ADD_BYTE(low, 14, at, end, complete, cut);
    ADD_BYTE(low, 21, at, end, complete, cut);
    at = protobuf_read_wide_varint(decoder, origin, at, end, low, &wide);
    if (!at) return NULL;
    low = (uint32_t)wide, high = (uint32_t)(wide >> 32);
complete:
    if (VARINTS32 >> type & 1)
        *slot = low;
    else if (VARINTS64 >> type & 1)
        slot[0] = low, slot[1] = high;
    else
        store_varint(protobuf_type_forms[type].form, slot, (uint64_t)high << 32 | low);
    return at;
cut:
    return fail_past(decoder, end, origin);
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

static HOT const uint8_t *read_message(struct decoder *decoder, const struct hw_type *type, hw_ref *place,
                                       uint32_t group, const uint8_t *origin, const uint8_t *at, const uint8_t *end,
                                       uint32_t depth) {
    if (UNLIKELY(depth == 0)) return fail(decoder, HW_STATUS_DEPTH_EXCEEDED, origin);
    if (UNLIKELY(!sound(decoder, type))) return fail(decoder, HW_STATUS_BAD_DESCRIPTOR, origin);
    if (*place == 0 && UNLIKELY((*place = new_message(decoder, type)) == 0))
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
            at = read_field(decoder, type, field, object, key, start, at, end, depth - 1);
        }
        if (!at) return NULL;
    }
    if (UNLIKELY(group != 0)) return fail(decoder, HW_STATUS_BAD_GROUP, end);
    finish(decoder, type, object, hasbits);
    return at;
}

struct hw_protobuf_codec_object hw_protobuf_codec_read(const struct hw_type *type, const void *input, uint32_t length,
                                                       uint32_t max_depth, struct hw_arenas *arenas) {
    if ((uintptr_t)input + length < (uintptr_t)input)
        return (struct hw_protobuf_codec_object){.status = HW_STATUS_OUT_OF_BOUNDS};
    const uint8_t *bytes = input, *end = bytes + length;
    struct decoder decoder = {
        .fixed = arenas->fixed,
        .flexible = arenas->flexible,
        .input_end = end,
        .mark = hw_registers[HW_REG_MARK_PROTOTYPE],
        .byte_string = hw_registers[HW_REG_KLASS_BYTE_STRING],
        .byte_array = hw_registers[HW_REG_KLASS_BYTE_ARRAY],
    };
    uint32_t depth =
        max_depth != 0 && max_depth < HW_PROTOBUF_CODEC_MAX_DEPTH ? max_depth : HW_PROTOBUF_CODEC_MAX_DEPTH;
    hw_ref root = 0;

    if (!type) return (struct hw_protobuf_codec_object){.status = HW_STATUS_BAD_DESCRIPTOR};
    /* The root takes a level of stack, too, but is not counted in `depth`. */
    depth = hw_stack_levels(depth + 1, HW_PROTOBUF_CODEC_READ_STACK);
    if (!read_message(&decoder, type, &root, 0, bytes, bytes, end, depth))
        return (struct hw_protobuf_codec_object){.status = decoder.status,
                                                 .offset = (uint32_t)(decoder.error_at - bytes)};
    /* A later occurrence may have brought the fields that were missing when a message ended. */
    if (decoder.incomplete && !hw_message_initialized(hw_pointer(root), type, HW_PROTOBUF_CODEC_MAX_DEPTH))
        return (struct hw_protobuf_codec_object){.status = HW_STATUS_MISSING_REQUIRED, .offset = length};
    arenas->fixed = decoder.fixed;
    arenas->flexible = decoder.flexible;
    return (struct hw_protobuf_codec_object){.status = HW_STATUS_OK, .root = root};
}
