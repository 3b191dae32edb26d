/* Formats of heaps, and the heaps of a cluster (docs/reference/skyway.md, "Heap formats"). The command `heapwire heaps`
 * writes a table of heaps from a format file.
 *
 *   hw_skyway_output_open(&stream, &sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
 *   hw_skyway_output_for(&stream, hw_skyway_heap(hw_skyway_heaps, HW_SKYWAY_HEAPS, "worker2"));
 */
#ifndef HW_SKYWAY_HEAP_H
#define HW_SKYWAY_HEAP_H

#include <stdbool.h>

#include "runtime/object.h"

/* Where the fields of a heap's objects begin. A heap with this runtime's words needs nothing else. */
struct hw_skyway_layout {
    uint8_t fields;    /* offset of an instance's first field: 8, or 16 with serialization metadata */
    uint8_t elements;  /* offset of an array's first element: 16, or 24 */
    uint8_t alignment; /* of objects: 8 or 16 */
};

/* This runtime's layouts, of classes with and without serialization metadata. */
#define HW_SKYWAY_LAYOUT_METADATA                                                     \
    ((struct hw_skyway_layout){HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE, \
                               HW_OBJECT_METADATA_ARRAY_ELEMENTS, HW_OBJECT_ALIGNMENT})
#define HW_SKYWAY_LAYOUT_PLAIN \
    ((struct hw_skyway_layout){HW_OBJECT_HEADER_SIZE, HW_OBJECT_ARRAY_ELEMENTS, HW_OBJECT_ALIGNMENT})

/* The words of a heap's objects. In a stream's header all bytes are 0 for this runtime's words. */
struct hw_skyway_words {
    uint8_t reference_bytes; /* 4 or 8 */
    uint8_t mark_bytes;      /* 4 or 8; the mark is at 0 */
    uint8_t class_bytes;     /* 4 or 8; the class word is behind the mark */
    uint8_t length;          /* offset of an array's length, which has 4 bytes */
    uint8_t hash_bit;        /* lowest bit of the identity hash in the mark */
    uint8_t hash_bits;
    uint8_t unlocked; /* the bits below the hash, in the mark of an unlocked object of age 0 */
    uint8_t zero;
};

#define HW_SKYWAY_OWN_WORDS                                           \
    ((struct hw_skyway_words){.reference_bytes = 4,                   \
                              .mark_bytes = 4,                        \
                              .class_bytes = 4,                       \
                              .length = HW_OBJECT_ARRAY_LENGTH,       \
                              .hash_bit = HW_OBJECT_MARK_HASH_BIT,    \
                              .hash_bits = HW_OBJECT_MARK_HASH_WIDTH, \
                              .unlocked = HW_OBJECT_MARK_UNLOCKED})

struct hw_skyway_format {
    struct hw_skyway_layout layout;
    struct hw_skyway_words words;
};

struct hw_skyway_heap {
    const char *name;
    struct hw_skyway_format format;
};

/* Returns the format of the heap of this name; NULL if the table lacks it. */
const struct hw_skyway_format *hw_skyway_heap(const struct hw_skyway_heap *heaps, uint32_t count, const char *name);

/* Returns whether a heap can have this format. */
bool hw_skyway_format_is_sound(const struct hw_skyway_format *format);

/* Returns whether the words are this runtime's. */
bool skyway_words_are_own(const struct hw_skyway_words *words);

#endif
