/* Descriptor tables of nanopb's message types, made from nanopb's own descriptors at
 * first use and kept (docs/decisions/0006-nanopb-tables.md).
 *
 * What a table cannot say makes a type, and every type that holds it, software-only.
 */
#ifndef HW_PROTOBUF_NANOPB_TABLES_H
#define HW_PROTOBUF_NANOPB_TABLES_H

#include <pb.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/descriptor.h"

/* Why a type has no table. */
enum hw_nanopb_reason {
    HW_NANOPB_OK,
    HW_NANOPB_CALLBACK,  /* a callback field, or one of submsg_callback */
    HW_NANOPB_EXTENSION, /* a range of extensions */
    HW_NANOPB_LAYOUT,    /* a struct of 64 KB or more, a packed one, a double kept as a float */
    HW_NANOPB_FIELDS,    /* more than 32 required fields, or more fields than a unit keeps track of */
    HW_NANOPB_UTF8,      /* a string, and nanopb is built to validate its own notion of UTF-8 */
    HW_NANOPB_NO_ROOM,   /* the memory for tables, or the cache, is full: give more with hw_nanopb_tables_init */
};

struct hw_nanopb_type {
    const pb_msgdesc_t *descriptor;
    const struct hw_type *table; /* NULL: software-only */
    uint8_t reason;              /* enum hw_nanopb_reason */
    uint8_t alignment;           /* of the struct */
    bool decode_only;            /* nanopb serializes it by a rule that tables do not know */
    uint8_t closed;              /* while it is made: its fields have been looked at */
    uint32_t encoded;            /* bytes of the last message that a unit encoded: the driver's guess at the next one's */
};

/* Whether a struct lies where its type's members may lie; alignments are powers of two. */
static inline bool hw_nanopb_aligned(const struct hw_nanopb_type *type, const void *message)
{
    return ((uintptr_t)message & (type->alignment - 1u)) == 0;
}

/* Memory for tables, 16 bytes aligned at best; NULL: the default of HW_NANOPB_TABLE_BYTES. Forgets all tables:
 * no command may be in flight. */
void hw_nanopb_tables_init(void *memory, uint32_t bytes);

/* The type of this descriptor; its table is made if it is not there yet. NULL: the cache is full. */
struct hw_nanopb_type *hw_nanopb_find(const pb_msgdesc_t *descriptor);

/* Bytes of tables in use, and the text of a reason. */
uint32_t hw_nanopb_tables_used(void);
const char *hw_nanopb_reason_text(enum hw_nanopb_reason reason);

#endif
