/* What a message keeps in array lists, which grow in the flexible arena: repeated fields, packed or not, and unknown
 * fields, byte for byte. A function that finds no room returns NULL after it has stored the error, unless it says
 * otherwise. */
#include <string.h>

#include "protobuf/codec/decoder.h"
#include "runtime/registers.h"

/* The smallest array that an append makes, in bytes of elements. */
#define FIRST_BYTES 16u
_Static_assert(FIRST_BYTES >= 2 * 8 && FIRST_BYTES % HW_OBJECT_ALIGNMENT == 0, "more than one element of any size");
#define LIST_TO_ARRAY (HW_REG_KLASS_INT_ARRAY - HW_REG_KLASS_INT_ARRAY_LIST)

/* Returns the list of `slot`, or a new, empty one with the class of that register. */
static inline struct hw_array_list *open_list(struct decoder *decoder, hw_ref *slot, uint32_t list_register,
                                              const uint8_t *at) {
    hw_ref taken = *slot;
    struct hw_array_list *list = hw_pointer(taken);

    if (taken) return list;
    taken = hw_arena_take(&decoder->fixed, HW_OBJECT_ARRAY_LIST_SIZE);
    if (!taken) {
        fail(decoder, HW_STATUS_FIXED_ARENA_FULL, at);
        return NULL;
    }
    list = hw_pointer(taken);
    list->header.mark = decoder->mark;
    list->header.klass = hw_registers[list_register];
    list->count = 0;
    list->array = 0;
    *slot = taken;
    return list;
}

/* Returns the address behind the list's array. */
static uint32_t array_end(const struct hw_array_list *list, uint32_t shift) {
    return list->array + HW_OBJECT_ARRAY_ELEMENTS + hw_object_round(hw_array_length(list->array) << shift);
}

/* Gives the list an array of exactly `capacity` elements at the end of the flexible arena, with the old elements; the
 * others are undefined. An array that is the arena's last object grows in place. */
static struct hw_array *resize(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register,
                               uint32_t shift, uint32_t capacity) {
    struct hw_arena *arena = &decoder->flexible;
    uint32_t old_end = 0;

    if (capacity > (UINT32_MAX - HW_OBJECT_ARRAY_ELEMENTS) >> shift) return NULL;
    if (list->array) old_end = array_end(list, shift);
    bool last = list->array && old_end == arena->top;
    uint32_t start = last ? list->array : arena->top;
    uint32_t size = HW_OBJECT_ARRAY_ELEMENTS + (capacity << shift);

    if (size > arena->limit - start) return NULL;
    arena->top = start + hw_object_round(size);

    struct hw_array *array = hw_pointer(start);
    if (!last) {
        array->header.mark = decoder->mark;
        array->header.klass = hw_registers[list_register + LIST_TO_ARRAY];
        array->padding = 0;
        if (list->array) memcpy(array->elements, hw_array_bytes(list->array), list->count << shift);
        list->array = start;
    }
    array->length = capacity;
    return array;
}

/* Appends `extra` elements and returns the address of the first. */
static void *extend(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                    uint32_t extra, const uint8_t *at) {
    uint32_t capacity = list->array ? hw_array_length(list->array) : 0, used = list->count << shift;
    uint32_t needed = list->count + extra, wanted = 2 * capacity;
    struct hw_array *array = hw_pointer(list->array);

    if (needed > capacity) {
        if (wanted < FIRST_BYTES >> shift) wanted = FIRST_BYTES >> shift;
        array = wanted > needed ? resize(decoder, list, list_register, shift, wanted) : NULL;
        if (!array) /* no room to double, or no need to: the requested size may still fit */
            array = resize(decoder, list, list_register, shift, needed);
        if (!array) {
            fail(decoder, HW_STATUS_FLEXIBLE_ARENA_FULL, at);
            return NULL;
        }
        memset(array->elements + used, 0, hw_object_round(array->length << shift) - used);
    }
    list->count = needed;
    return array->elements + used;
}

/* The common case of an append without room: the list has no array, and there is memory for one. */
static inline void *begin(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift) {
    struct hw_array *array = hw_pointer(decoder->flexible.top);
    uint32_t *elements = (uint32_t *)(void *)array->elements;

    decoder->flexible.top += HW_OBJECT_ARRAY_ELEMENTS + FIRST_BYTES;
    array->header.mark = decoder->mark;
    array->header.klass = hw_registers[list_register + LIST_TO_ARRAY];
    array->length = FIRST_BYTES >> shift;
    array->padding = 0;
    for (uint32_t i = 0; i < FIRST_BYTES / 4; i++) elements[i] = 0;
    list->array = hw_reference(array);
    list->count = 1;
    return elements;
}

HOT void *protobuf_list_add(struct decoder *decoder, hw_ref *slot, uint32_t list_register, uint32_t shift,
                            const uint8_t *at) {
    struct hw_array_list *list = open_list(decoder, slot, list_register, at);

    if (!list) return NULL;
    if (list->array == 0 &&
        LIKELY(decoder->flexible.limit - decoder->flexible.top >= HW_OBJECT_ARRAY_ELEMENTS + FIRST_BYTES))
        return begin(decoder, list, list_register, shift);
    if (UNLIKELY(list->array == 0 || list->count == hw_array_length(list->array)))
        return extend(decoder, list, list_register, shift, 1, at);
    return hw_array_bytes(list->array) + (list->count++ << shift);
}

/* Returns room for `extra` more elements, which are not counted yet and, in new memory, not cleared. Returns NULL
 * *without* storing an error if there is no room. close_list must follow, with the same `capacity`. */
static void *reserve(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                     uint32_t extra, uint32_t *capacity) {
    struct hw_array *array = hw_pointer(list->array);
    uint32_t needed = list->count + extra, used = list->count << shift;

    if (extra > UINT32_MAX - list->count) return NULL;
    *capacity = array ? array->length : 0;
    if (array && needed <= *capacity) return array->elements + used;
    /* An array that has to move is copied, so it gets room for as many elements again. Otherwise lists that grow by
     * turns would cost quadratic time. */
    *capacity = array && array_end(list, shift) != decoder->flexible.top ? 2 * list->count : 0;
    if (*capacity > needed) {
        array = resize(decoder, list, list_register, shift, *capacity);
        if (array) return array->elements + used;
        *capacity = 0;
    }
    array = resize(decoder, list, list_register, shift, needed);
    return array ? array->elements + used : NULL;
}

/* Counts the first `added` of the reserved elements. Gives back the memory beyond them and beyond `capacity`. */
static void close_list(struct decoder *decoder, struct hw_array_list *list, uint32_t shift, uint32_t added,
                       uint32_t capacity) {
    struct hw_array *array = hw_pointer(list->array);
    bool last = array_end(list, shift) == decoder->flexible.top;

    list->count += added;
    if (!last) return;
    uint32_t used = list->count << shift;

    if (array->length > capacity) array->length = capacity > list->count ? capacity : list->count;
    memset(array->elements + used, 0, hw_object_round(array->length << shift) - used);
    decoder->flexible.top = array_end(list, shift);
}

#define MAX_KEY_BYTES 5

/* Returns room for `bytes` more bytes of unknown fields; NULL, with the error, if there is none. */
static uint8_t *unknown_room(struct decoder *decoder, hw_ref *slot, uint32_t bytes, const uint8_t *origin) {
    if (*slot == hw_registers[HW_REG_UNKNOWN_FIELDS]) *slot = 0;
    struct hw_array_list *list = open_list(decoder, slot, HW_REG_KLASS_BYTE_ARRAY_LIST, origin);

    return list ? extend(decoder, list, HW_REG_KLASS_BYTE_ARRAY_LIST, 0, bytes, origin) : NULL;
}

static bool keep(struct decoder *decoder, const struct hw_type *type, char *object, const uint8_t *from, uint32_t bytes,
                 const uint8_t *origin) {
    uint32_t offset = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET);

    if (offset == HW_ADT_NO_OFFSET) return true;
    uint8_t *to = unknown_room(decoder, (hw_ref *)(object + offset), bytes, origin);

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

/* Keeps the undeclared numbers of a packed closed enum from `at` to `end`, each as a field of its own. */
static __attribute__((noinline)) const uint8_t *keep_numbers(struct decoder *decoder, const struct hw_type *type,
                                                             const struct hw_field *field, char *object,
                                                             const uint8_t *at, const uint8_t *end) {
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
    if (!(list = open_list(decoder, slot, form->list_register, origin))) return NULL;
    if (length == 0) return at;
    elements = fixed ? length >> form->shift : length;
    room = reserve(decoder, list, form->list_register, form->shift, elements, &capacity);
    if (!room && !fixed) /* a varint may have several bytes: counts them exactly */
        room = reserve(decoder, list, form->list_register, form->shift, count_varints(at, stop), &capacity);
    if (!room) return fail(decoder, HW_STATUS_FLEXIBLE_ARENA_FULL, origin);
    if (fixed)
        memcpy(filled = room, at, length), filled += length;
    else if (closed)
        filled = read_declared(decoder, type, field, room, at, stop);
    else
        filled = read_packed_varints(decoder, form->form, room, at, stop);
    if (!filled) return NULL;
    close_list(decoder, list, form->shift, (uint32_t)(filled - room) >> form->shift, capacity);
    return closed ? keep_numbers(decoder, type, field, object, at, stop) : stop;
}
