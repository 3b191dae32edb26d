/* The nanopb types of a program: one table, generated with the code of a schema (docs/reference/firmware_build.md), or
 * the empty one of no_types.c. */
#ifndef HW_NANOPB_REGISTRY_H
#define HW_NANOPB_REGISTRY_H

#include <pb.h>
#include <stdint.h>

struct nanopb_type {
    const char *name; /* full protobuf name */
    const pb_msgdesc_t *fields;
    uint32_t size; /* bytes of the struct */
};

#define NANOPB_TYPE(full_name, c_name) {full_name, &c_name##_msg, sizeof(c_name)}

extern const struct nanopb_type nanopb_types[];
extern const unsigned nanopb_type_count;
extern const uint32_t nanopb_schema_id; /* fingerprint of the schema (docs/reference/schema_blob.md); 0: none */

#endif
