/* What generated accessors know of a message type (docs/accessors.md).
 *
 * protoc-gen-heapwire writes one constant hw_message_info a type, with the
 * layout of heapwire.schema. The offsets are constants in the code, so the schema
 * in force must agree with them: hw_message_klass_of compares every field with the
 * descriptor tables, for the type and all it reaches, once for each schema that is
 * loaded, and answers with the class word from then on.
 */
#ifndef HW_RUNTIME_ACCESSORS_INFO_H
#define HW_RUNTIME_ACCESSORS_INFO_H

#include "runtime/handle.h"
#include "runtime/klass.h"

/* Messages that nest within a root at most, as for the deserializers. */
#define HW_MESSAGE_MAX_DEPTH 100

enum hw_field_flag {
    HW_FIELD_REPEATED = 1,
    HW_FIELD_IMPLICIT = 2, /* proto3: present if its value is not zero */
};

struct hw_message_info;

struct hw_field_info {
    uint32_t number;
    uint16_t offset; /* of the slot in the object */
    uint16_t hasbit;
    uint16_t case_offset; /* of its oneof's case word; 0 without a oneof */
    uint8_t type;         /* HW_TYPE_* */
    uint8_t flags;        /* HW_FIELD_* */
    const struct hw_message_info *message; /* of messages and groups */
};

/* The schema that an info agrees with. */
struct hw_message_binding {
    hw_ref schema; /* where the blob lies; 0: with none */
    uint32_t schema_id;
    const struct hw_klass *klass;
    const struct hw_message_info *next; /* while a closure is compared */
};

struct hw_message_info {
    const char *name;                   /* the full protobuf name */
    const struct hw_field_info *fields; /* in order of number */
    uint32_t field_count;
    uint16_t object_size;
    uint16_t hasbits_words;
    uint16_t hasbits; /* offsets */
    uint16_t memoized_size;
    uint16_t memoized_is_initialized;
    uint16_t unknown_fields;
    struct hw_message_binding *binding;
};

/* The field of that number, which the type has. */
const struct hw_field_info *hw_message_field(const struct hw_message_info *info, uint32_t number);

/* The class of the type's objects under the schema in force; NULL with HW_NO_TYPE if it has no
 * such type, or lays out one that the type reaches otherwise. */
const struct hw_klass *hw_message_klass_of(const struct hw_message_info *info);

/* `object` if it is a message of the type; NULL with HW_WRONG_TYPE or HW_NO_TYPE if not. NULL stays NULL. */
hw_handle hw_message_from(hw_handle object, const struct hw_message_info *info);

#endif
