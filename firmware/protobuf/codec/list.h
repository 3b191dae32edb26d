/* Repeated fields: array lists whose arrays grow in the flexible arena. */
#ifndef HW_PROTOBUF_CODEC_LIST_H
#define HW_PROTOBUF_CODEC_LIST_H

#include "protobuf/codec/decoder.h"

/* The list that `slot` refers to, or a new, empty one with that class register. NULL: no room, noted. */
struct hw_array_list *list_open(struct decoder *decoder, hw_ref *slot, uint32_t list_register, const uint8_t *at);

/* The slow path of list_append: makes room. */
void *list_grow(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                const uint8_t *at);

/* Room for one more element of 2^shift bytes, which counts from now on; NULL: no room, noted. */
static inline void *list_append(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register,
                                uint32_t shift, const uint8_t *at)
{
    uint32_t count = list->count;

    if (__builtin_expect(list->array == 0 || count == hw_array_length(list->array), 0))
        return list_grow(decoder, list, list_register, shift, at);
    list->count = count + 1;
    return hw_array_bytes(list->array) + (count << shift);
}

/* The same for the list that `slot` refers to, a new one if there is none. */
void *list_add(struct decoder *decoder, hw_ref *slot, uint32_t list_register, uint32_t shift, const uint8_t *at);

/* Room for `extra` more elements, which count from now on; NULL: no room, noted. */
void *list_extend(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                  uint32_t extra, const uint8_t *at);

/* Room for `extra` more elements, not counted yet, and not cleared where it is new; NULL: no room, *not* noted. list_close must
 * follow, with the same `capacity`. */
void *list_reserve(struct decoder *decoder, struct hw_array_list *list, uint32_t list_register, uint32_t shift,
                   uint32_t extra, uint32_t *capacity);

/* `added` of the reserved elements are filled: counts them and gives back what is beyond them and beyond `capacity`. */
void list_close(struct decoder *decoder, struct hw_array_list *list, uint32_t shift, uint32_t added, uint32_t capacity);

#endif
