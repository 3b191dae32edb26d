#include "protobuf/codec/list.h"

#include <string.h>

#include "runtime/registers.h"

/* The smallest array that an append makes, in bytes of elements. */
#define FIRST_BYTES 16u
_Static_assert(FIRST_BYTES >= 2 * 8 && FIRST_BYTES % HW_OBJECT_ALIGNMENT == 0, "more than one element of any size");
#define LIST_TO_ARRAY (HW_REG_KLASS_INT_ARRAY - HW_REG_KLASS_INT_ARRAY_LIST)

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

struct hw_array_list *protobuf_list_open(struct decoder *decoder, hw_ref *slot, uint32_t list_register,
                                         const uint8_t *at) {
    return open_list(decoder, slot, list_register, at);
}

/* The common case of protobuf_list_grow: the list has no array, and there is room for one. */
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
    return list_append(decoder, list, list_register, shift, at);
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

void *protobuf_list_extend(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
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

void *protobuf_list_grow(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                         const uint8_t *at) {
    return protobuf_list_extend(decoder, list, list_register, shift, 1, at);
}

void *protobuf_list_reserve(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
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

void protobuf_list_close(struct decoder *decoder, struct hw_array_list *list, uint32_t shift, uint32_t added,
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
