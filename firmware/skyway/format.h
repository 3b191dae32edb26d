/* The formats of heaps and of a stream's buffer (docs/reference/skyway.md, "Heap formats", "Stream"). */
#ifndef HW_SKYWAY_FORMAT_H
#define HW_SKYWAY_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "records/skyway.h"
#include "runtime/object.h"

/* The heaps of a cluster. The command `heapwire heaps` writes a table of them from a format file.
 *
 *   hw_skyway_output_open(&stream, &sink, work, sizeof work, HW_SKYWAY_LAYOUT_METADATA);
 *   hw_skyway_output_for(&stream, hw_skyway_heap(hw_skyway_heaps, HW_SKYWAY_HEAPS, "worker2"));
 */

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

/* A mark word has the identity hash above these bits. In them it is an unlocked object of age 0. */
#define SKYWAY_MARK_MASK 0x7fu

struct skyway_header {
    uint32_t magic;
    uint8_t version;
    struct hw_skyway_layout layout;
    uint32_t registry;
    uint32_t sender;
    uint32_t phase;
    uint32_t stream;
    uint32_t words[2]; /* a struct hw_skyway_words of the receiver; both 0: this runtime's words */
};

_Static_assert(sizeof(struct skyway_header) == 32, "header of a stream");
_Static_assert(sizeof(struct hw_skyway_words) == 8, "words of a heap");

/* Returns the bytes of a segment's tops, padding included. */
static inline uint32_t skyway_tops_bytes(uint32_t tops) { return (tops + 1) / 2 * 8; }

#endif
