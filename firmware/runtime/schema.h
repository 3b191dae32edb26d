/* Loading schema blobs (docs/reference/schema_blob.md): the descriptor tables, klass structs and names of a protobuf
 * schema. Several schemas may be in force, as that of a library and that of the program. A type that several of them
 * have must be the same in each, and its objects are of one class. */
#ifndef HW_RUNTIME_SCHEMA_H
#define HW_RUNTIME_SCHEMA_H

#include "runtime/descriptor.h"

/* The first error that was found in a blob. */
enum hw_schema_error {
    HW_SCHEMA_OK,
    HW_SCHEMA_ALIGNMENT_ERROR, /* the address is not a multiple of 64 */
    HW_SCHEMA_SIZE,            /* the size is out of range, or larger than what is available */
    HW_SCHEMA_MAGIC,
    HW_SCHEMA_VERSION,
    HW_SCHEMA_INTERFACE, /* the blob was made for another version of the hardware interface */
    HW_SCHEMA_CRC,
    HW_SCHEMA_SECTIONS, /* a section is outside the blob, not aligned, or out of order */
    HW_SCHEMA_RECORD,   /* a type record points elsewhere than the format says */
    HW_SCHEMA_TABLE,    /* a descriptor table is malformed */
    HW_SCHEMA_CONFLICT, /* a type differs from that of the same name in a schema in force */
};

/* The schema that was loaded last. */
struct hw_schema {
    hw_ref base; /* 0: no schema is in force */
    uint32_t size;
    uint32_t id;
    uint32_t load; /* another one for every load of a schema; 0: none is in force */
    uint32_t type_count;
    uint32_t root; /* index of the root type */
    /* a collector may walk the objects of all schemas; false if a table leaves references of new objects uncleared */
    bool collectable;
};
extern struct hw_schema hw_schema;

/* Check the blob of at most `available` bytes at `blob`, patch it and put it in force, registers included:
 * hw_schema_load alone, hw_schema_add beside those in force (nothing happens if it is one of them). The blob must stay
 * where it is. On an error neither the blob nor what is in force changes. */
enum hw_schema_error hw_schema_load(void *blob, uint32_t available);
enum hw_schema_error hw_schema_add(void *blob, uint32_t available);

/* Returns what an error means; never NULL. */
const char *hw_schema_error_text(enum hw_schema_error error);

/* Returns type `index` of the schema that was loaded last, or NULL. */
const struct hw_type *hw_schema_type(uint32_t index);

/* Returns the full protobuf name of type `index`, or NULL. */
const char *hw_schema_type_name(uint32_t index);

/* Returns the type with this full name, of any schema in force, or NULL. */
const struct hw_type *hw_schema_find(const char *full_name);

#endif
