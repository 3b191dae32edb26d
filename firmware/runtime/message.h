/* Reading protobuf messages: fields by number, absent ones by their default.
 *
 * Pointers are valid until the next safepoint. A getter must be asked for what
 * the field is; the field's type is in its descriptor (ENTRY_TYPE).
 */
#ifndef HW_RUNTIME_MESSAGE_H
#define HW_RUNTIME_MESSAGE_H

#include "runtime/descriptor.h"
#include "runtime/klass.h"

struct hw_message {
    struct hw_object header;
};

/* Bytes of a string or bytes value; `data` is NULL for an absent one. */
struct hw_bytes {
    const uint8_t *data;
    uint32_t length;
};

/* A repeated field's elements; `elements` is NULL for an absent one. */
struct hw_list {
    const void *elements;
    uint32_t count;
};

/* Where the field is stored in the message. */
static inline const void *hw_message_slot(const struct hw_message *message, const struct hw_field *field)
{
    return (const char *)message + HW_GET(field, ENTRY_OFFSET);
}

/* True if the field was on the wire (singular), is the member of its oneof that is set, or has elements (repeated).
 * `field` is an entry of the hash. */
bool hw_message_has(const struct hw_message *message, const struct hw_type *type, const struct hw_field *field);

static inline int32_t hw_message_int32(const struct hw_message *message, const struct hw_field *field)
{
    return *(const int32_t *)hw_message_slot(message, field);
}

static inline int64_t hw_message_int64(const struct hw_message *message, const struct hw_field *field)
{
    return *(const int64_t *)hw_message_slot(message, field);
}

static inline bool hw_message_bool(const struct hw_message *message, const struct hw_field *field)
{
    return *(const uint8_t *)hw_message_slot(message, field) != 0;
}

static inline float hw_message_float(const struct hw_message *message, const struct hw_field *field)
{
    return *(const float *)hw_message_slot(message, field);
}

static inline double hw_message_double(const struct hw_message *message, const struct hw_field *field)
{
    return *(const double *)hw_message_slot(message, field);
}

/* The bytes of a byte string object, or of none. */
struct hw_bytes hw_byte_string_bytes(hw_ref string);

static inline struct hw_bytes hw_message_bytes(const struct hw_message *message, const struct hw_field *field)
{
    return hw_byte_string_bytes(*(const hw_ref *)hw_message_slot(message, field));
}

/* A submessage, NULL if absent. */
static inline const struct hw_message *hw_message_message(const struct hw_message *message, const struct hw_field *field)
{
    return hw_pointer(*(const hw_ref *)hw_message_slot(message, field));
}

/* A repeated field: elements are values of the field's type, references for strings, bytes and messages. */
struct hw_list hw_message_list(const struct hw_message *message, const struct hw_field *field);

/* The message's unknown fields as they were on the wire, keys included; none: no bytes. */
struct hw_bytes hw_message_unknown(const struct hw_message *message, const struct hw_type *type);

#endif
