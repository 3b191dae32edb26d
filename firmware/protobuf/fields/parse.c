#include "protobuf/codec/decoder.h"
#include "runtime/registers.h"
#include "runtime/thread.h"
#include "protobuf/fields/fields.h"

#define ATTEMPTS 3
#define FAILED UINT32_MAX

/* Reads the key at `at`, which must be below `end`. Returns the address behind the key, or FAILED. */
static inline uint32_t get_key(uint32_t at, uint32_t end, uint32_t *key) {
    const uint8_t *bytes = hw_pointer(at);
    uint32_t value = bytes[0];

    if (__builtin_expect(value < 0x80, 1)) {
        *key = value;
        return at + 1;
    }
    value &= 0x7f;
    for (uint32_t i = 1; i < 5 && at + i < end; i++) {
        value |= (uint32_t)(bytes[i] & 0x7f) << 7 * i;
        if (bytes[i] < 0x80) {
            *key = value;
            return i == 4 && bytes[4] > 0x0f ? FAILED : at + i + 1;
        }
    }
    return FAILED;
}

static uint32_t parse_fields(const struct hw_type *type, hw_ref object, uint32_t at, uint32_t end, uint32_t depth);

static inline void enter(const struct hw_type *type, hw_ref object) {
    hw_field_set_up(HW_FIELD_SET_UP_DESTINATION, object, object + HW_GET(type, ADT_OBJECT_SIZE));
}

/* Returns a new message of `type`; 0 if there is no room, which fails the sequence. */
static hw_ref take_message(const struct hw_type *type) {
    hw_ref taken = hw_chksuccess(HW_FIELD_CHECK_TAKE, HW_GET(type, ADT_OBJECT_SIZE));

    if (taken) protobuf_init_message(taken, type);
    return taken;
}

/* Parses a submessage, whose length is at `at`, into the slot. `seen`: the slot already has a message, or a list.
 * Returns the address behind the submessage, or FAILED. */
static uint32_t parse_submessage(const struct hw_type *type, const struct hw_field *field, hw_ref object, hw_ref *slot,
                                 bool seen, uint32_t at, uint32_t end, uint32_t depth) {
    const struct hw_type *sub = hw_field_type(type, field);
    bool repeated = HW_GET(field, ENTRY_REPEATED);
    uint32_t length;
    hw_ref child;

    if (!hw_type_valid(hw_reference(sub), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]))
        return FAILED;
    if (at >= end || depth == 0 || (at = get_key(at, end, &length)) == FAILED || length > end - at) return FAILED;
    if (!repeated && seen) {
        child = *slot;
    } else {
        if (!(child = take_message(sub))) return FAILED;
        if (!repeated)
            *slot = child;
        else if (hw_parfield(HW_TYPE_MESSAGE | HW_FIELD_FUNCTION_REPEATED, child, hw_reference(slot) | seen) == FAILED)
            return FAILED;
    }
    enter(sub, child);
    at = parse_fields(sub, child, at, at + length, depth - 1);
    if (at != FAILED) enter(type, object);
    return at;
}

/* Returns whether all values of a closed enum at `at`, one value or with `run` a packed run, are in the declared
 * range. */
static bool declared(const struct hw_field *field, uint32_t at, uint32_t end, bool run) {
    int32_t low = (int16_t)HW_GET(field, ENTRY_ENUM_LOW), high = (int16_t)HW_GET(field, ENTRY_ENUM_HIGH);
    struct decoder decoder = {.input_end = hw_pointer(end)};
    const uint8_t *from = hw_pointer(at), *to = hw_pointer(end);
    uint64_t value;

    if (run) {
        uint32_t length;

        if (!(from = read_length(&decoder, from, from, to, &length))) return false;
        to = from + length;
        if (length == 0) return true;
    }
    do {
        if (!(from = read_varint(&decoder, from, from, to, &value)) || (int32_t)value < low || (int32_t)value > high)
            return false;
    } while (run && from < to);
    return true;
}

/* Parses the value of a field whose key has been read. Returns the address behind the value, or FAILED, also where
 * software must take over. */
static inline uint32_t parse_field(const struct hw_type *type, hw_ref object, uint32_t key, uint32_t at, uint32_t end,
                                   uint32_t depth) {
    const struct hw_field *field = hw_type_find(type, key >> 3);

    if (key >> 3 == 0 || !field || HW_GET(field, ENTRY_UNSUPPORTED)) /* the number 0 would match an empty slot */
        return FAILED;
    uint32_t kind = HW_GET(field, ENTRY_TYPE), slot = object + HW_GET(field, ENTRY_OFFSET);
    uint32_t bit = HW_GET(field, ENTRY_HASBIT), wire = key & 7;
    uint32_t *hasbits = hw_pointer(object + HW_GET(type, ADT_HASBITS_OFFSET) + bit / 32 * 4);
    bool repeated = HW_GET(field, ENTRY_REPEATED), own = wire == protobuf_type_forms[kind].wire;
    bool seen = HW_GET(field, ENTRY_HAS_HASBIT) && *hasbits >> bit % 32 & 1;

    if (kind == HW_TYPE_GROUP || !(own || (repeated && wire == WIRE_LENGTH))) return FAILED;
    if (__builtin_expect(HW_GET(field, ENTRY_CLOSED_ENUM), 0) && !declared(field, at, end, !own)) return FAILED;
    if (HW_GET(field, ENTRY_IN_ONEOF)) {
        uint32_t *member = hw_pointer(object + HW_GET(field, ENTRY_CASE_OFFSET));

        seen = seen && *member == key >> 3;
        *member = key >> 3;
    }
    if (HW_GET(field, ENTRY_HAS_HASBIT)) *hasbits |= 1u << bit % 32;
    if (kind == HW_TYPE_MESSAGE) return parse_submessage(type, field, object, hw_pointer(slot), seen, at, end, depth);
    uint32_t flag = own ? HW_GET(field, ENTRY_CHECK_UTF8) : 1;

    if (repeated) { /* an empty packed run alone makes no list */
        const uint8_t *length = hw_pointer(at);

        if (!own && at < end && *length == 0) {
            if (HW_GET(field, ENTRY_HAS_HASBIT) && !seen) *hasbits &= ~(1u << bit % 32);
            return at + 1;
        }
        slot |= seen;
    }
    return hw_field_parse(kind | (repeated ? HW_FIELD_FUNCTION_REPEATED : 0) | (flag ? HW_FIELD_FUNCTION_FLAG : 0), at,
                          slot);
}

static uint32_t parse_fields(const struct hw_type *type, hw_ref object, uint32_t at, uint32_t end, uint32_t depth) {
    uint32_t required = HW_GET(type, ADT_REQUIRED_COUNT), key;

    while (at < end) {
        at = get_key(at, end, &key);
        if (at == FAILED) return FAILED;
        at = parse_field(type, object, key, at, end, depth);
    }
    if (at != end || required > HW_ADT_MAX_REQUIRED) return FAILED;
    if (required != 0) {
        uint32_t all = UINT32_MAX >> (32 - required);
        uint32_t bits = *(const uint32_t *)hw_pointer(object + HW_GET(type, ADT_HASBITS_OFFSET));

        if ((bits & all) != all) return FAILED;
    }
    return at;
}

struct hw_protobuf_codec_object hw_fields_read(const struct hw_type *type, const void *input, uint32_t length,
                                               uint32_t max_depth, struct hw_arenas *arenas) {
    uint32_t depth =
        max_depth != 0 && max_depth < HW_PROTOBUF_CODEC_MAX_DEPTH ? max_depth : HW_PROTOBUF_CODEC_MAX_DEPTH;
    uint32_t levels = hw_stack_levels(depth + 1, HW_FIELDS_STACK);
    uint32_t status = HW_STATUS_BROKEN, start = hw_reference(input);
    bool valid = start + length >= start && levels != 0 &&
                 hw_type_valid(hw_reference(type), hw_registers[HW_REG_TABLE_BASE], hw_registers[HW_REG_TABLE_LIMIT]);

    for (int attempt = 0; valid && attempt < ATTEMPTS && status == HW_STATUS_BROKEN && hw_fields_present(); attempt++) {
        hw_field_set_up(HW_FIELD_SET_UP_INPUT, start, start + length);
        hw_field_set_up(HW_FIELD_SET_UP_FIXED, arenas->fixed.top, arenas->fixed.limit);
        hw_field_set_up(HW_FIELD_SET_UP_FLEXIBLE, arenas->flexible.top, arenas->flexible.limit);
        hw_ref root = take_message(type);
        uint32_t end = FAILED;

        if (root) {
            enter(type, root);
            end = parse_fields(type, root, start, start + length, levels - 1);
        }
        uint32_t fixed_top = hw_chksuccess(HW_FIELD_CHECK_FIXED_TOP, 0);
        uint32_t flexible_top = hw_chksuccess(HW_FIELD_CHECK_FLEXIBLE_TOP, 0);

        status = hw_chksuccess(HW_FIELD_CHECK_STATUS, 0);
        hw_fields_broken += status == HW_STATUS_BROKEN;
        if (status == HW_STATUS_OK && end != FAILED) {
            arenas->fixed.top = fixed_top;
            arenas->flexible.top = flexible_top;
            return (struct hw_protobuf_codec_object){.status = HW_STATUS_OK, .root = root};
        }
    }
    hw_fields_fallbacks++;
    return hw_protobuf_codec_read(type, input, length, max_depth, arenas);
}
