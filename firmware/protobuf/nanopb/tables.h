/* Descriptor tables of nanopb's message types. They are made from nanopb's own descriptors at first use and kept
 * (docs/decisions/0006-nanopb-tables.md).
 *
 * If a table cannot describe a type, this type and every type that contains it are software-only.
 */
#ifndef HW_PROTOBUF_NANOPB_TABLES_H
#define HW_PROTOBUF_NANOPB_TABLES_H

#include <pb.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/descriptor.h"

/* Why a type has no table, or one for reading alone. */
enum hw_nanopb_reason {
    HW_NANOPB_OK,
    HW_NANOPB_CALLBACK,  /* a callback field, or a submessage with submsg_callback */
    HW_NANOPB_EXTENSION, /* a range of extensions */
    HW_NANOPB_LAYOUT,    /* a struct of 64 KB or more, or a double stored as a float */
    HW_NANOPB_PACKED,    /* packed_struct: members are not aligned, so the core cannot access them either */
    HW_NANOPB_FIELDS,    /* more than 32 required fields, or more fields than a unit keeps track of */
    HW_NANOPB_UTF8,      /* a string, and nanopb is built to validate UTF-8 by its own rules */
    HW_NANOPB_SINGULAR,  /* there is a table, but nanopb serializes the type by a rule that tables cannot express */
    HW_NANOPB_NO_ROOM,   /* the memory for tables, or the cache, is full: give more with hw_nanopb_tables_init */
};

struct hw_nanopb_type {
    const pb_msgdesc_t *descriptor;
    const struct hw_type *table; /* NULL: software-only */
    /* the table, if a unit reads such a struct, and if one writes it; NULL otherwise */
    const struct hw_type *read_by, *written_by;
    uint8_t reason;    /* enum hw_nanopb_reason */
    uint8_t alignment; /* of the struct */
    bool decode_only;  /* software serializes it (HW_NANOPB_SINGULAR) */
    uint8_t closed;    /* only during construction: its fields have been examined */
    /* bytes of the last message that a unit encoded: the driver's guess for the next one */
    uint32_t encoded;
};

/* Returns whether a struct is aligned as its type requires. Alignments are powers of two. */
static inline bool hw_nanopb_aligned(const struct hw_nanopb_type *type, const void *message) {
    return ((uintptr_t)message & (type->alignment - 1u)) == 0;
}

/* Sets the memory for tables, preferably 16-byte aligned. NULL: the built-in HW_NANOPB_TABLE_BYTES bytes. Forgets all
 * tables. No command may be in flight. */
void hw_nanopb_tables_init(void *memory, uint32_t bytes);

/* The types that have been looked up: an open hash table over the descriptor's address. */
#ifndef HW_NANOPB_TYPES
#define HW_NANOPB_TYPES 128 /* a power of two */
#endif
extern struct hw_nanopb_type hw_nanopb_types[HW_NANOPB_TYPES];

/* Returns the place where the search for a descriptor begins. */
static inline struct hw_nanopb_type *hw_nanopb_slot(const pb_msgdesc_t *descriptor) {
    uint32_t at = (uint32_t)((uintptr_t)descriptor / sizeof(void *));

    return &hw_nanopb_types[(at + (at >> 7)) & (HW_NANOPB_TYPES - 1)];
}

/* Returns the type of this descriptor and makes its table if there is none yet. A type that finds the cache full is not
 * kept: it has HW_NANOPB_NO_ROOM or HW_NANOPB_PACKED as its reason, and no descriptor. */
struct hw_nanopb_type *hw_nanopb_find(const pb_msgdesc_t *descriptor);

/* Return the bytes of tables in use, and the text of a reason. */
uint32_t hw_nanopb_tables_used(void);
const char *hw_nanopb_reason_text(enum hw_nanopb_reason reason);

#endif
