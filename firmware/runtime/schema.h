/* Loading a schema blob (docs/schema_blob.md): descriptor tables, klass structs
 * and names of one protobuf schema. One schema is in force at a time. */
#ifndef HW_RUNTIME_SCHEMA_H
#define HW_RUNTIME_SCHEMA_H

#include "runtime/descriptor.h"

#define HW_SCHEMA_ALIGNMENT 64
#define HW_SCHEMA_MAX_BYTES (16u << 20)

/* The first thing that is wrong with a blob. */
enum hw_schema_error {
    HW_SCHEMA_OK,
    HW_SCHEMA_ALIGNMENT_ERROR, /* address not a multiple of 64 */
    HW_SCHEMA_SIZE,            /* size out of range, or more than there are bytes */
    HW_SCHEMA_MAGIC,
    HW_SCHEMA_VERSION,
    HW_SCHEMA_INTERFACE,       /* made for another version of the hardware interface */
    HW_SCHEMA_CRC,
    HW_SCHEMA_SECTIONS,        /* a section outside the blob, not aligned, or out of order */
    HW_SCHEMA_RECORD,          /* a type record that points elsewhere than the format says */
    HW_SCHEMA_TABLE,           /* a descriptor table that is malformed */
};

struct hw_schema {
    hw_ref base; /* 0: none in force */
    uint32_t size;
    uint32_t id;
    uint32_t type_count;
    uint32_t root; /* index of the root type */
    bool collectable; /* a collector may walk the objects: false of tables that leave references uncleared */
};
extern struct hw_schema hw_schema;

/* Checks the blob of at most `available` bytes at `blob`, patches it and puts it in
 * force, registers included. The blob must stay where it is. On an error it is
 * as it was and the schema in force stays. */
enum hw_schema_error hw_schema_load(void *blob, uint32_t available);

/* What an error means; never NULL. */
const char *hw_schema_error_text(enum hw_schema_error error);

/* Type `index` of the schema in force, or NULL. */
const struct hw_type *hw_schema_type(uint32_t index);

/* Its full protobuf name, or NULL. */
const char *hw_schema_type_name(uint32_t index);

/* The type with this full name, or NULL. */
const struct hw_type *hw_schema_find(const char *full_name);

#endif
