/* In place of runtime/schema_check.c, for programs that load no tables but those that the build has linked to them. */
#include "runtime/schema_blob.h"

enum hw_schema_error hw_schema_check(const struct schema_header *blob, uint32_t available) {
    if (hw_reference(blob) % SCHEMA_ALIGNMENT != 0) return HW_SCHEMA_ALIGNMENT_ERROR;
    if (available < sizeof(*blob) || blob->size > available) return HW_SCHEMA_SIZE;
    if (blob->magic != SCHEMA_MAGIC) return HW_SCHEMA_MAGIC;
    if (blob->version != SCHEMA_VERSION) return HW_SCHEMA_VERSION;
    return blob->interface == HW_INFO_VERSION ? HW_SCHEMA_OK : HW_SCHEMA_INTERFACE;
}
