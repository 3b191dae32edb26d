/* The schema blob of docs/schema_blob.md, and the check that comes before its use. */
#ifndef HW_RUNTIME_SCHEMA_BLOB_H
#define HW_RUNTIME_SCHEMA_BLOB_H

#include "runtime/schema.h"

#define SCHEMA_LONG_BITMAP 0x80000000u
#define SCHEMA_SOFTWARE_ONLY 1u /* flag of a record */

struct schema_header {
    uint32_t magic, version, size, crc, interface;
    uint32_t type_count, types, klasses, tables, tables_size, strings, strings_size;
    uint32_t root, schema_id, reserved[2];
};

struct schema_record {
    uint32_t name, klass, table, object_size, flags, id, bitmap, field_count;
};

_Static_assert(sizeof(struct schema_header) == 64, "blob header");
_Static_assert(sizeof(struct schema_record) == 32, "type record");

static inline const struct schema_record *schema_records(const struct schema_header *blob)
{
    return (const struct schema_record *)((const char *)blob + blob->types);
}

/* The first thing that is wrong with the blob of at most `available` bytes. What passes can be
 * patched, and its tables followed, without any further check. */
enum hw_schema_error schema_check(const struct schema_header *blob, uint32_t available);

/* The bytes of a table that lies with its header and hash within `available` bytes, if it is sound, else 0.
 * Sound: the ordered entries are those of the hash; every slot and case word lies within the object, aligned,
 * and none over another, but for the slots that members of one oneof share, references and scalars apart; hasbits are
 * distinct but for those members', and within their words; the enum lists hold what the entries say; the entries of a map
 * have a key and a value and nothing else. Says nothing of sub-tables. */
uint32_t schema_table_sound(const struct hw_type *type, uint32_t available);

/* The words of the reference bitmap that objects of a sound table have; until the next call. */
const uint32_t *schema_table_references(const struct hw_type *type);

/* Whether every reference of a new object is cleared, so that a collector may walk it. */
bool schema_table_collectable(const struct hw_type *type);

#endif
