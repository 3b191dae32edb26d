/* The schema blob of docs/reference/schema_blob.md, and the check that precedes its use. */
#ifndef HW_RUNTIME_SCHEMA_BLOB_H
#define HW_RUNTIME_SCHEMA_BLOB_H

#include "records/schema.h"
#include "runtime/schema.h"

static inline const struct schema_record *schema_records(const struct schema_header *blob) {
    return (const struct schema_record *)((const char *)blob + blob->types);
}

/* Returns the first error in the blob of at most `available` bytes. A blob without an error can be patched, and its
 * tables followed, without any further check. */
enum hw_schema_error hw_schema_check(const struct schema_header *blob, uint32_t available);

/* Checks a table whose header and hash lie within `available` bytes. Returns the table's size in bytes if it is sound,
 * else 0. In a sound table:
 *
 * - the ordered entries are those of the hash table;
 * - every slot and case word lies within the object, is aligned and overlaps no other. Only members of one oneof share
 *   slots: one slot for references, one for scalars;
 * - hasbits are distinct, but for those of a oneof's members, and lie within the hasbits words;
 * - the enum lists agree with the entries;
 * - a map entry has a key, a value and nothing else.
 *
 * The types of submessages are not checked. */
uint32_t hw_schema_table_sound(const struct hw_type *type, uint32_t available);

/* Returns the reference bitmap of a sound table's objects, as words. The words are valid until the next call. */
const uint32_t *hw_schema_table_references(const struct hw_type *type);

/* Returns whether every reference of a new object is cleared, so that a collector may walk the object. */
bool hw_schema_table_collectable(const struct hw_type *type);

#endif
