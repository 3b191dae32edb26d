/* Repeated fields: array lists whose arrays grow in the flexible arena. A function that finds no room returns NULL
 * after it has stored the error, unless it says otherwise. */
#ifndef HW_PROTOBUF_CODEC_LIST_H
#define HW_PROTOBUF_CODEC_LIST_H

#include "protobuf/codec/decoder.h"

/* Returns the list of `slot`, or a new, empty one with the class of that register. */
struct hw_array_list *protobuf_list_open(struct decoder *decoder, hw_ref *slot, uint32_t list_register,
                                         const uint8_t *at);

/* The slow path of list_append: makes room. */
void *protobuf_list_grow(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                         const uint8_t *at);

/* Appends an element of 2^shift bytes and returns its address. */
static inline void *list_append(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register,
                                uint32_t shift, const uint8_t *at) {
    uint32_t count = list->count;

    if (__builtin_expect(list->array == 0 || count == hw_array_length(list->array), 0))
        return protobuf_list_grow(decoder, list, list_register, shift, at);
    list->count = count + 1;
    return hw_array_bytes(list->array) + (count << shift);
}

/* Like list_append, for the list of `slot`, which is made if there is none. */
void *protobuf_list_add(struct decoder *decoder, hw_ref *slot, uint32_t list_register, uint32_t shift,
                        const uint8_t *at);

/* Appends `extra` elements and returns the address of the first. */
void *protobuf_list_extend(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                           uint32_t extra, const uint8_t *at);

/* Returns room for `extra` more elements, which are not counted yet and, in new memory, not cleared. Returns NULL
 * *without* storing an error if there is no room. protobuf_list_close must follow, with the same `capacity`. */
void *protobuf_list_reserve(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                            uint32_t extra, uint32_t *capacity);

/* Counts the first `added` of the reserved elements. Gives back the memory beyond them and beyond `capacity`. */
void protobuf_list_close(struct decoder *decoder, struct hw_array_list *list, uint32_t shift, uint32_t added,
                         uint32_t capacity);

#endif
