/* Types by their names, in a program with the generated code of a whole schema
 * (heapwire.plugin.generate.write_registry). */
#ifndef HW_PROTOBUF_FIELDS_REGISTRY_H
#define HW_PROTOBUF_FIELDS_REGISTRY_H

#include <string.h>

#include "protobuf/fields/fields.h"

/* The types of the schema's roots; NULL ends them. */
extern const struct hw_fields_type *const hw_fields_types[];

/* Returns the type of that full name, or NULL. */
static inline const struct hw_fields_type *hw_fields_find(const char *name) {
    const struct hw_fields_type *const *type = hw_fields_types;

    while (*type && strcmp((*type)->info->name, name) != 0) type++;
    return *type;
}

#endif
