#include "protobuf/codec/decoder.h"
#include "protobuf/fields/generated.h"
#include "runtime/schema.h"
#include "runtime/thread.h"

#define ATTEMPTS 3

struct hw_fields_at hw_fields_varint(uint32_t at, uint32_t end) {
    uint32_t value = 0;

    for (uint32_t shift = 0; shift < 35 && at < end; shift += 7) {
        uint32_t byte = hw_fields_byte(at++);

        value |= (byte & 0x7f) << shift;
        if (byte < 0x80 && (shift < 28 || byte <= 0x0f)) return (struct hw_fields_at){at, value};
    }
    return (struct hw_fields_at){HW_FIELDS_FAILED, 0};
}

bool hw_fields_all_declared(uint32_t at, uint32_t end, bool run, bool (*known)(int32_t number)) {
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
        if (!(from = read_varint(&decoder, from, from, to, &value)) || !known((int32_t)value)) return false;
    } while (run && from < to);
    return true;
}

/* Makes a message; `slot`: where to store its reference. Returns 0 if there is no room, which fails the sequence. */
static hw_ref make(struct hw_fields_reader *reader, const struct hw_message_info *info, hw_ref *slot) {
    hw_ref object = hw_chksuccess(HW_FIELD_CHECK_TAKE, info->object_size);

    if (!object) return 0;
    *slot = object;
    uint32_t *word = hw_pointer(object + HW_OBJECT_HEADER_SIZE), *end = hw_pointer(object + info->object_size);

    for (; word < end; word += 2) word[0] = word[1] = 0;
    *(struct hw_object *)hw_pointer(object) =
        (struct hw_object){hw_registers[HW_REG_MARK_PROTOTYPE], hw_reference(info->binding->klass)};
    *(int32_t *)hw_pointer(object + info->memoized_size) = HW_OBJECT_MEMO_UNSET;
    *(int32_t *)hw_pointer(object + info->memoized_is_initialized) = HW_OBJECT_MEMO_UNSET;
    *(hw_ref *)hw_pointer(object + info->unknown_fields) = hw_registers[HW_REG_UNKNOWN_FIELDS];
    /* Waits until all this is in memory: the unit's values follow. The bounds are those of all messages of the
     * sequence, so that the way back to an outer message sets none. */
    hw_field_set_up(HW_FIELD_SET_UP_DESTINATION, reader->root, reader->limit);
    return object;
}

/* Reads the submessage whose length is at `at` into a message. */
static uint32_t enter(struct hw_fields_reader *reader, const struct hw_fields_type *type, hw_ref object, bool fresh,
                      uint32_t at, uint32_t end) {
    if (UNLIKELY(at >= end || reader->depth == 0)) return HW_FIELDS_FAILED;
    struct hw_fields_at length = hw_fields_key(at, end);

    if (UNLIKELY(length.at > end || length.value > end - length.at)) return HW_FIELDS_FAILED;
    reader->depth--;
    at = type->read(reader, object, fresh, length.at, length.at + length.value);
    reader->depth++;
    return at;
}

uint32_t hw_fields_message(struct hw_fields_reader *reader, const struct hw_fields_type *type, hw_ref slot, bool seen,
                           uint32_t at, uint32_t end) {
    hw_ref *place = hw_pointer(slot), object = seen ? *place : make(reader, type->info, place);

    return object ? enter(reader, type, object, !seen, at, end) : HW_FIELDS_FAILED;
}

uint32_t hw_fields_element(struct hw_fields_reader *reader, const struct hw_fields_type *type, hw_ref slot, bool seen,
                           uint32_t at, uint32_t end) {
    hw_ref object;

    if (!make(reader, type->info, &object) ||
        hw_parfield(HW_TYPE_MESSAGE | HW_FIELD_FUNCTION_REPEATED, object, slot | seen) == HW_FIELDS_FAILED)
        return HW_FIELDS_FAILED;
    return enter(reader, type, object, true, at, end);
}

struct hw_protobuf_codec_object hw_fields_read(const struct hw_fields_type *type, const void *input, uint32_t length,
                                               uint32_t max_depth, struct hw_arenas *arenas) {
    uint32_t depth =
        max_depth != 0 && max_depth < HW_PROTOBUF_CODEC_MAX_DEPTH ? max_depth : HW_PROTOBUF_CODEC_MAX_DEPTH;
    uint32_t levels = hw_stack_levels(depth + 1, HW_FIELDS_STACK);
    uint32_t status = HW_STATUS_BROKEN, start = hw_reference(input);
    bool valid = start + length >= start && levels != 0;

    if (!hw_message_klass_of(type->info)) return (struct hw_protobuf_codec_object){.status = HW_STATUS_BAD_DESCRIPTOR};
    for (int attempt = 0; valid && attempt < ATTEMPTS && status == HW_STATUS_BROKEN && hw_fields_present(); attempt++) {
        struct hw_fields_reader reader = {arenas->fixed.top, arenas->fixed.limit, levels - 1};
        hw_ref root = 0;
        uint32_t end = HW_FIELDS_FAILED;

        hw_field_set_up(HW_FIELD_SET_UP_INPUT, start, start + length);
        hw_field_set_up(HW_FIELD_SET_UP_FIXED, arenas->fixed.top, arenas->fixed.limit);
        hw_field_set_up(HW_FIELD_SET_UP_FLEXIBLE, arenas->flexible.top, arenas->flexible.limit);
        if (make(&reader, type->info, &root)) end = type->read(&reader, root, true, start, start + length);
        uint32_t fixed_top = hw_chksuccess(HW_FIELD_CHECK_FIXED_TOP, 0);
        uint32_t flexible_top = hw_chksuccess(HW_FIELD_CHECK_FLEXIBLE_TOP, 0);

        status = hw_chksuccess(HW_FIELD_CHECK_STATUS, 0);
        hw_fields_broken += status == HW_STATUS_BROKEN;
        if (status == HW_STATUS_OK && end != HW_FIELDS_FAILED) {
            arenas->fixed.top = fixed_top;
            arenas->flexible.top = flexible_top;
            return (struct hw_protobuf_codec_object){.status = HW_STATUS_OK, .root = root};
        }
    }
    hw_fields_fallbacks++;
    return hw_protobuf_codec_read(hw_schema_find(type->info->name), input, length, max_depth, arenas);
}
