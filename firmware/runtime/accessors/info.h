/* The description of a message type that generated accessors use (docs/reference/accessors.md).
 *
 * protoc-gen-heapwire writes one constant hw_message_info per type, with the layout that heapwire.schema computes. The
 * offsets are constants in the code, so the schema in force must agree with them. hw_message_klass_of compares every
 * field of the type, and of all types that it reaches, with the descriptor tables. It does so once for each schema that
 * is loaded, and afterwards only returns the class word.
 */
#ifndef HW_RUNTIME_ACCESSORS_INFO_H
#define HW_RUNTIME_ACCESSORS_INFO_H

#include "runtime/klass.h"
#include "runtime/schema.h"
#include "runtime/thread.h"

/* Most levels of messages within a root, as for the deserializers. */
#define HW_MESSAGE_MAX_DEPTH 100

enum hw_field_flag {
    HW_FIELD_REPEATED = 1,
    HW_FIELD_IMPLICIT = 2, /* implicit presence (proto3): present if the value is not zero */
    HW_FIELD_MAP = 4,      /* repeated; the elements are entry messages with key and value */
    HW_FIELD_REQUIRED = 8,
};

struct hw_message_info;

struct hw_field_info {
    uint32_t number;
    uint16_t offset; /* of the slot in the object */
    uint16_t hasbit;
    uint16_t case_offset;                  /* of its oneof's case word; 0 without a oneof */
    uint8_t type;                          /* HW_TYPE_* */
    uint8_t flags;                         /* HW_FIELD_* */
    const struct hw_message_info *message; /* the type of messages and groups */
};

/* The type, in the schemas in force, with which an info agrees. */
struct hw_message_binding {
    uint32_t load; /* hw_schema.load; 0: none */
    const struct hw_klass *klass;
    const struct hw_type *type;         /* its table */
    const struct hw_message_info *next; /* list of the types that bind_closure has yet to compare */
};

struct hw_message_info {
    const char *name;                   /* the full protobuf name */
    const struct hw_field_info *fields; /* in order of number */
    uint32_t field_count;
    uint16_t object_size;
    uint16_t hasbits_words;
    uint16_t hasbits; /* offsets of this member and the next three */
    uint16_t memoized_size;
    uint16_t memoized_is_initialized;
    uint16_t unknown_fields;
    bool has_required; /* the type, or a type that it reaches, has required fields */
    struct hw_message_binding *binding;
};

/* Returns the field with this number. The type must have it. */
const struct hw_field_info *hw_message_field(const struct hw_message_info *info, uint32_t number);

/* Returns whether the schema in force was found to agree with the type. */
static inline bool hw_message_bound(const struct hw_message_info *info) {
    return info->binding->load == hw_schema.load;
}

/* hw_message_klass_of where the schema in force has not been compared yet. */
const struct hw_klass *hw_message_bind(const struct hw_message_info *info);

/* Returns the klass of the type's objects under the schema in force. Returns NULL with HW_STATUS_NO_TYPE if the schema
 * lacks the type, or if it lays out the type, or one that the type reaches, differently. */
static inline const struct hw_klass *hw_message_klass_of(const struct hw_message_info *info) {
    const struct hw_message_binding *binding = info->binding;
    const struct hw_klass *klass = binding->klass;

    return __builtin_expect(klass && binding->load == hw_schema.load, 1) ? klass : hw_message_bind(info);
}

/* Returns the type's table, or NULL as hw_message_klass_of does. */
static inline const struct hw_type *hw_message_type_of(const struct hw_message_info *info) {
    return hw_message_klass_of(info) ? info->binding->type : NULL;
}

/* Returns `object` if it is a message of the type, else NULL with HW_STATUS_WRONG_TYPE or HW_STATUS_NO_TYPE. Returns
 * NULL for NULL. */
hw_handle hw_message_from(hw_handle object, const struct hw_message_info *info);

#endif
