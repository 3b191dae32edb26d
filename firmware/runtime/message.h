/* Read access to protobuf messages: fields by number; an absent field reads as its default.
 *
 * Pointers are valid until the next safepoint. The getter must fit the field's type, which is in its descriptor
 * (ENTRY_TYPE).
 */
#ifndef HW_RUNTIME_MESSAGE_H
#define HW_RUNTIME_MESSAGE_H

#include "runtime/compiler.h"
#include "runtime/descriptor.h"
#include "runtime/klass.h"

struct hw_message {
    struct hw_object header;
};

/* The bytes of a string or bytes value; `data` is NULL if the value is absent. */
struct hw_bytes {
    const uint8_t *data;
    uint32_t length;
};

/* The elements of a repeated field; `elements` is NULL if the field is absent. */
struct hw_list {
    const void *elements;
    uint32_t count;
};

/* Returns where the message stores the field. */
static inline const void *hw_message_slot(const struct hw_message *message, const struct hw_field *field) {
    return (const char *)message + HW_GET(field, ENTRY_OFFSET);
}

/* Returns true if the field was on the wire (singular), is the member of its oneof that is set, or has elements
 * (repeated). `field` is an entry of the hash table. */
bool hw_message_has(const struct hw_message *message, const struct hw_type *type, const struct hw_field *field);

static inline int32_t hw_message_int32(const struct hw_message *message, const struct hw_field *field) {
    return *(const int32_t *)hw_message_slot(message, field);
}

static inline int64_t hw_message_int64(const struct hw_message *message, const struct hw_field *field) {
    return *(const int64_t *)hw_message_slot(message, field);
}

static inline bool hw_message_bool(const struct hw_message *message, const struct hw_field *field) {
    return *(const uint8_t *)hw_message_slot(message, field) != 0;
}

static inline float hw_message_float(const struct hw_message *message, const struct hw_field *field) {
    return *(const float *)hw_message_slot(message, field);
}

static inline double hw_message_double(const struct hw_message *message, const struct hw_field *field) {
    return *(const double *)hw_message_slot(message, field);
}

/* Returns whether a byte string, not null, is a view. */
static inline bool hw_is_byte_view(hw_ref string) {
    return UNLIKELY(((const struct hw_byte_view *)hw_pointer(string))->mark == HW_OBJECT_BYTE_VIEW_MARK);
}

/* Returns the bytes of a byte string or a view; no bytes for a null reference. Those of a view may begin anywhere in a
 * word. */
static inline struct hw_bytes hw_byte_string_bytes(hw_ref string) {
    if (!string) return (struct hw_bytes){0};
    if (hw_is_byte_view(string)) {
        const struct hw_byte_view *view = hw_pointer(string);
        hw_ref from = view->owner ? view->owner + HW_OBJECT_ARRAY_ELEMENTS : 0;

        return (struct hw_bytes){hw_pointer(from + view->offset), view->length};
    }
    hw_ref bytes = ((const struct hw_byte_string *)hw_pointer(string))->bytes;

    return (struct hw_bytes){hw_array_bytes(bytes), hw_array_length(bytes)};
}

/* Returns whether an object, not null, is a byte string or a view whose bytes lie in a byte array of the heap. A
 * program asks this of what a stranger may have sent as objects, before it reads the bytes. */
bool hw_byte_string_is_sound(hw_ref string);

static inline struct hw_bytes hw_message_bytes(const struct hw_message *message, const struct hw_field *field) {
    return hw_byte_string_bytes(*(const hw_ref *)hw_message_slot(message, field));
}

/* Returns a submessage, or NULL if it is absent. */
static inline const struct hw_message *hw_message_message(const struct hw_message *message,
                                                          const struct hw_field *field) {
    return hw_pointer(*(const hw_ref *)hw_message_slot(message, field));
}

/* Returns a repeated field. Its elements are values of the field's type; strings, bytes and messages are references. */
struct hw_list hw_message_list(const struct hw_message *message, const struct hw_field *field);

/* Returns the message's unknown fields as they were on the wire, keys included. No bytes if there are none. */
struct hw_bytes hw_message_unknown(const struct hw_message *message, const struct hw_type *type);

/* Checks of required fields. */

/* Returns whether a message has its own required fields. Submessages are not checked. */
bool hw_message_has_required(const void *message, const struct hw_type *type);

/* Returns whether a message and every message that it reaches have their required fields. Of map entries with equal
 * keys only the last one counts. Returns false if more than `depth` messages nest within `message`. No object may be
 * referenced twice, and every mark word must be the prototype. Both hold for messages that have just been read and that
 * nothing else knows yet. */
bool hw_message_initialized(struct hw_message *message, const struct hw_type *type, uint32_t depth);

/* A digest of a message's value. It is the same for every layout of the message's objects and easy to compute elsewhere
 * (docs/reference/firmware_build.md, "Digest"). */

uint32_t hw_digest(const struct hw_message *message, const struct hw_type *type);

#endif
