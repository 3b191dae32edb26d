#include "runtime/accessors/build.h"

#include "runtime/accessors/build_object.h"
#include "runtime/accessors/value.h"

static char *slot_of(hw_handle message, const struct hw_field_info *field) {
    return (char *)hw_handle_object(message) + field->offset;
}

static void put_hasbit(hw_handle message, const struct hw_message_info *info, const struct hw_field_info *field,
                       bool set) {
    uint32_t *words = (uint32_t *)((char *)hw_handle_object(message) + info->hasbits);
    uint32_t bit = 1u << field->hasbit % 32;

    if (set)
        words[field->hasbit / 32] |= bit;
    else
        words[field->hasbit / 32] &= ~bit;
}

static uint32_t *case_of(hw_handle message, const struct hw_field_info *field) {
    return (uint32_t *)((char *)hw_handle_object(message) + field->case_offset);
}

/* Returns true if the field is in a oneof and not the member that is set. */
static bool not_the_case(hw_handle message, const struct hw_field_info *field) {
    return field->case_offset && *case_of(message, field) != field->number;
}

static void forget(hw_handle message, const struct hw_message_info *info, const struct hw_field_info *field) {
    if (not_the_case(message, field)) return;
    if ((field->flags & HW_FIELD_REPEATED) || hw_value_is_reference(field->type))
        hw_set(message, field->offset, NULL);
    else
        hw_value_store(slot_of(message, field), field->type, 0);
    if (field->case_offset) *case_of(message, field) = 0;
    if (!(field->flags & HW_FIELD_REPEATED)) put_hasbit(message, info, field, false);
}

/* Makes the field present, just before it gets a value, and clears the other members of its oneof. */
static void present(hw_handle message, const struct hw_message_info *info, const struct hw_field_info *field) {
    if (not_the_case(message, field)) {
        if (*case_of(message, field) != 0) forget(message, info, hw_message_field(info, *case_of(message, field)));
        *case_of(message, field) = field->number;
    }
    put_hasbit(message, info, field, true);
}

bool hw_message_set(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits) {
    const struct hw_field_info *field = &info->fields[index];

    if (!hw_object_change(message, info)) return false;
    present(message, info, field);
    hw_value_store(slot_of(message, field), field->type, bits);
    if ((field->flags & HW_FIELD_IMPLICIT) && hw_value_load(slot_of(message, field), field->type) == 0)
        put_hasbit(message, info, field, false);
    return true;
}

bool hw_message_set_message(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle value) {
    const struct hw_field_info *field = &info->fields[index];

    if (!value) {
        hw_exception_raise(HW_NULL_MESSAGE);
        return false;
    }
    if (!hw_object_change(message, info)) return false;
    present(message, info, field);
    hw_set(message, field->offset, value);
    return true;
}

bool hw_message_set_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                          uint32_t length) {
    const struct hw_field_info *field = &info->fields[index];
    hw_scope scope = hw_scope_open();

    if ((field->flags & HW_FIELD_IMPLICIT) && length == 0) return hw_message_clear(message, info, index);
    hw_handle string = hw_object_there(message) ? hw_object_new_bytes(data, length) : NULL;

    if (string) {
        hw_object_change(message, info);
        present(message, info, field);
        hw_set(message, field->offset, string);
    }
    hw_scope_close(scope);
    return string != NULL;
}

hw_handle hw_message_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    const struct hw_field_info *field = &info->fields[index];

    if (!hw_object_there(message)) return NULL;
    bool absent = hw_read_32(message, field->offset) == 0 || not_the_case(message, field);
    hw_handle value = absent ? hw_message_new(field->message) : hw_get(message, field->offset);

    if (!value) return NULL;
    hw_object_change(message, info);
    if (absent) {
        present(message, info, field);
        hw_set(message, field->offset, value);
    }
    return value;
}

bool hw_message_clear(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    if (!hw_object_change(message, info)) return false;
    forget(message, info, &info->fields[index]);
    return true;
}
