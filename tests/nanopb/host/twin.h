/* A model of the protobuf units on native tables; it uses nothing but a table. Tests link it instead of
 * firmware/protobuf/nanopb/unit.c, to show that tables contain all that nanopb's descriptors do, and to test the
 * driver. */
#ifndef TWIN_H
#define TWIN_H

#include <stdbool.h>
#include <string.h>

#include "runtime/arena.h"
#include "runtime/descriptor.h"

#define TWIN_MAX_DEPTH 100

/* Returns the bytes from one struct of this type to the next in an array. */
static inline uint32_t twin_stride(const struct hw_type *type) {
    uint32_t mask = (1u << HW_GET(type, ADT_ALIGN_LOG2)) - 1;

    return (HW_GET(type, ADT_OBJECT_SIZE) + mask) & ~mask;
}

static inline const struct hw_type *twin_sub_type(const struct hw_type *type, const struct hw_field *entry) {
    return (const struct hw_type *)((const char *)type +
                                    (int16_t)HW_GET(entry, NATIVE_ENTRY_SUB_TABLE) * HW_ADT_ALIGNMENT);
}

static inline bool twin_is_scalar(const struct hw_field *entry) {
    uint32_t type = HW_GET(entry, ENTRY_TYPE);

    return type != HW_TYPE_STRING && type != HW_TYPE_BYTES && type != HW_TYPE_MESSAGE;
}

/* Returns the bytes from one element of a list to the next. */
static inline uint32_t twin_element(const struct hw_type *type, const struct hw_field *entry) {
    if (HW_GET(entry, ENTRY_TYPE) == HW_TYPE_MESSAGE) return twin_stride(twin_sub_type(type, entry));
    if (twin_is_scalar(entry)) return 1u << HW_GET(entry, NATIVE_ENTRY_SIZE_LOG2);
    if (HW_GET(entry, NATIVE_ENTRY_POINTER) && !HW_GET(entry, NATIVE_ENTRY_FIXED_LENGTH)) return sizeof(void *);
    return HW_GET(entry, NATIVE_ENTRY_ELEMENT_SIZE);
}

/* Returns the maximum number of elements of a list. 0: any number. */
static inline uint32_t twin_most(const struct hw_field *entry) {
    bool any = HW_GET(entry, NATIVE_ENTRY_POINTER) && !HW_GET(entry, NATIVE_ENTRY_FIXED_COUNT);

    return any ? 0 : HW_GET(entry, NATIVE_ENTRY_MAX_COUNT);
}

/* Returns the pb_size_t at `at`. */
static inline uint32_t twin_count(const struct hw_type *type, const void *at) {
    uint32_t wide;
    uint16_t narrow;

    memcpy(&narrow, at, 2);
    if (!HW_GET(type, ADT_WIDE_COUNT)) return narrow;
    memcpy(&wide, at, 4);
    return wide;
}

static inline void twin_set_count(const struct hw_type *type, void *at, uint32_t count) {
    memcpy(at, &count, HW_GET(type, ADT_WIDE_COUNT) ? 4 : 2);
}

static inline uint32_t twin_count_bytes(const struct hw_type *type) { return HW_GET(type, ADT_WIDE_COUNT) ? 4 : 2; }

#endif
