#include "protobuf/codec/form.h"

#include <string.h>

#include "protobuf/codec/list.h"
#include "protobuf/codec/unknown.h"
#include "protobuf/codec/wire.h"

/* Reads the varints of a packed field, from `at` to `end`, into room for all of them. Inlined, so that each form has a
 * loop of its own. */
static inline __attribute__((always_inline)) uint8_t *read_form(struct decoder *decoder, enum form form, uint32_t size,
                                                                uint8_t *slot, const uint8_t *at, const uint8_t *end) {
    uint64_t value;

    for (; at < end; slot += size) {
        at = read_varint(decoder, at, at, end, &value);
        if (!at) return NULL;
        store_varint(form, slot, value);
    }
    return slot;
}

static uint8_t *read_packed_varints(struct decoder *decoder, enum form form, uint8_t *slot, const uint8_t *at,
                                    const uint8_t *end) {
    switch (form) {
        case VARINT32:
            return read_form(decoder, VARINT32, 4, slot, at, end);
        case ZIGZAG32:
            return read_form(decoder, ZIGZAG32, 4, slot, at, end);
        case VARINT64:
            return read_form(decoder, VARINT64, 8, slot, at, end);
        case ZIGZAG64:
            return read_form(decoder, ZIGZAG64, 8, slot, at, end);
        default:
            return read_form(decoder, BOOLEAN, 1, slot, at, end);
    }
}

/* Reads the numbers of a closed enum, without those that it does not declare. */
static uint8_t *read_declared(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                              uint8_t *slot, const uint8_t *at, const uint8_t *end) {
    uint64_t value;

    while (at < end) {
        at = read_varint(decoder, at, at, end, &value);
        if (!at) return NULL;
        if (!declares(type, field, (int32_t)value)) continue;
        *(uint32_t *)(void *)slot = (uint32_t)value;
        slot += sizeof(uint32_t);
    }
    return slot;
}

static uint32_t count_varints(const uint8_t *at, const uint8_t *end) {
    uint32_t count = 0;

    for (; at < end; at++) count += *at < 0x80;
    return count;
}

const uint8_t *protobuf_read_packed(struct decoder *decoder, const struct hw_type *type, const struct hw_field *field,
                                    const struct type_form *form, char *object, const uint8_t *origin,
                                    const uint8_t *at, const uint8_t *end) {
    hw_ref *slot = (hw_ref *)(object + HW_GET(field, ENTRY_OFFSET));
    const uint8_t *stop;
    bool fixed = form->wire != WIRE_VARINT, closed = HW_GET(field, ENTRY_CLOSED_ENUM);
    uint32_t length, elements, rest, capacity;
    struct hw_array_list *list;
    uint8_t *room, *filled;

    at = read_length(decoder, origin, at, end, &length);
    if (!at) return NULL;
    stop = at + length;
    rest = fixed ? length & ((1u << form->shift) - 1) : 0;
    if (rest != 0) return fail_past(decoder, stop, stop - rest);
    if (!(list = protobuf_list_open(decoder, slot, form->list_register, origin))) return NULL;
    if (length == 0) return at;
    elements = fixed ? length >> form->shift : length;
    room = protobuf_list_reserve(decoder, list, form->list_register, form->shift, elements, &capacity);
    if (!room && !fixed) /* a varint may have several bytes: counts them exactly */
        room =
            protobuf_list_reserve(decoder, list, form->list_register, form->shift, count_varints(at, stop), &capacity);
    if (!room) return fail(decoder, HW_STATUS_FLEXIBLE_ARENA_FULL, origin);
    if (fixed)
        memcpy(filled = room, at, length), filled += length;
    else if (closed)
        filled = read_declared(decoder, type, field, room, at, stop);
    else
        filled = read_packed_varints(decoder, form->form, room, at, stop);
    if (!filled) return NULL;
    protobuf_list_close(decoder, list, form->shift, (uint32_t)(filled - room) >> form->shift, capacity);
    return closed ? protobuf_keep_numbers(decoder, type, field, object, at, stop) : stop;
}
