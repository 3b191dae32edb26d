#include "runtime/accessors/build.h"

#include <string.h>

#include "runtime/accessors/fresh.h"
#include "runtime/accessors/view.h"
#include "runtime/compiler.h"
#include "runtime/heap/card.h"
#include "runtime/registers.h"

static char *slot_of(hw_ref message, const struct hw_field_info *field) { return hw_pointer(message + field->offset); }

bool hw_object_change(hw_handle message, const struct hw_message_info *info) {
    if (!hw_object_there(message)) return false;
    hw_object_forget(message->reference, info);
    return true;
}

COLD hw_handle hw_object_new_message_slowly(const struct hw_message_info *info, const struct hw_klass *klass,
                                            hw_ref *made) {
    *made = hw_allocate_slow(info->object_size);
    if (*made) hw_object_write_message(*made, info->object_size, info->hasbits_words, klass, 0);
    return hw_handle_hold(*made);
}

OFTEN hw_handle hw_message_new(const struct hw_message_info *info) {
    hw_ref made;

    return hw_object_new_message(info, info->object_size, info->hasbits_words, &made);
}

COLD hw_ref hw_object_new_long_bytes(const void *data, uint32_t length) {
    hw_scope scope = hw_scope_open();
    hw_handle bytes = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY]), length);
    hw_ref string = bytes ? hw_allocate(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_STRING])) : 0;

    if (string) {
        memcpy(hw_array_bytes(bytes->reference), data, length);
        ((struct hw_byte_string *)hw_pointer(string))->bytes = bytes->reference;
    }
    hw_scope_close(scope);
    return string;
}

OFTEN void hw_object_put_bytes(hw_ref at, const void *data, uint32_t length) {
    hw_object_write_bytes(at, data, length);
}

static __attribute__((noinline)) hw_ref new_bytes(const void *data, uint32_t length) {
    hw_ref string = hw_object_take(hw_object_bytes_size(length));

    if (string) hw_object_put_bytes(string, data, length);
    return string;
}

/* Calls nothing but in its last act, so that no register is saved. */
OFTEN hw_ref hw_object_new_bytes(const void *data, uint32_t length) {
    if (UNLIKELY(length > HW_OBJECT_SHORT)) return hw_object_new_long_bytes(data, length);
    struct hw_thread *thread = hw_thread;
    hw_ref string = thread->buffer.top;
    uint32_t bytes = hw_object_bytes_size(length);

    if (UNLIKELY(bytes > thread->buffer.limit - string || (uintptr_t)data % 4 != 0)) return new_bytes(data, length);
    thread->buffer.top = string + bytes;
    hw_object_write_bytes(string, data, length);
    return string;
}

OFTEN hw_ref hw_object_bytes_beside(hw_handle message, const void *data, uint32_t length) {
    if (hw_object_in_heap(message->reference)) return hw_object_new_bytes(data, length);
    return hw_arenas_new_bytes(message, data, length);
}

OFTEN hw_handle hw_object_message_beside(hw_handle message, const struct hw_message_info *info) {
    if (hw_object_in_heap(message->reference)) return hw_message_new(info);
    return hw_handle_hold(hw_arenas_new_message(message, info));
}

static void put_hasbit(hw_ref message, const struct hw_message_info *info, const struct hw_field_info *field,
                       bool set) {
    uint32_t *word = (uint32_t *)hw_pointer(message + info->hasbits) + field->hasbit / 32;
    uint32_t bit = 1u << field->hasbit % 32;

    *word = set ? *word | bit : *word & ~bit;
}

static uint32_t *case_of(hw_ref message, const struct hw_field_info *field) {
    return hw_pointer(message + field->case_offset);
}

/* Returns true if the field is in a oneof and not the member that is set. */
static bool not_the_case(hw_ref message, const struct hw_field_info *field) {
    return field->case_offset && *case_of(message, field) != field->number;
}

static void forget(hw_ref message, const struct hw_message_info *info, const struct hw_field_info *field) {
    if (not_the_case(message, field)) return;
    if ((field->flags & HW_FIELD_REPEATED) || hw_value_is_reference(field->type))
        *(hw_ref *)(void *)slot_of(message, field) = 0; /* null needs no barrier */
    else
        hw_value_store(slot_of(message, field), field->type, 0);
    if (field->case_offset) *case_of(message, field) = 0;
    if (!(field->flags & HW_FIELD_REPEATED)) put_hasbit(message, info, field, false);
}

static COLD_CALL void choose(hw_ref message, const struct hw_message_info *info, const struct hw_field_info *field) {
    if (*case_of(message, field) != 0) forget(message, info, hw_message_field(info, *case_of(message, field)));
    *case_of(message, field) = field->number;
}

/* Resets the memoized values, makes the field present, just before it gets a value, and clears the other members of its
 * oneof. Returns the slot. */
static inline void *present(hw_ref message, const struct hw_message_info *info, const struct hw_field_info *field) {
    hw_object_forget(message, info);
    if (UNLIKELY(not_the_case(message, field))) choose(message, info, field);
    put_hasbit(message, info, field, true);
    return slot_of(message, field);
}

OFTEN bool hw_message_set(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits) {
    const struct hw_field_info *field = &info->fields[index];

    if (!hw_object_there(message)) return false;
    void *slot = present(message->reference, info, field);

    hw_value_store(slot, field->type, bits);
    if ((field->flags & HW_FIELD_IMPLICIT) && hw_value_load(slot, field->type) == 0)
        put_hasbit(message->reference, info, field, false);
    return true;
}

bool hw_message_set_message(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle value) {
    if (!value) hw_error_raise(HW_STATUS_NULL_MESSAGE);
    if (!value || !hw_object_there(message) || !hw_object_may_refer(message->reference, value->reference)) return false;
    hw_write_message(present(message->reference, info, &info->fields[index]), value->reference);
    return true;
}

OFTEN bool hw_message_set_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                                uint32_t length) {
    const struct hw_field_info *field = &info->fields[index];

    if ((field->flags & HW_FIELD_IMPLICIT) && length == 0) return hw_message_clear(message, info, index);
    hw_ref string = hw_object_there(message) ? hw_object_bytes_beside(message, data, length) : 0;

    if (string == 0) return false;
    hw_write_message(present(message->reference, info, field), string);
    return true;
}

OFTEN hw_handle hw_message_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    const struct hw_field_info *field = &info->fields[index];

    if (!hw_object_there(message)) return NULL;
    hw_ref value = *(const hw_ref *)(const void *)slot_of(message->reference, field);
    bool absent = value == 0 || not_the_case(message->reference, field);

    hw_handle held = absent ? hw_object_message_beside(message, field->message) : hw_handle_hold(value);

    if (!held) return NULL;
    if (absent)
        hw_write_message(present(message->reference, info, field), held->reference);
    else
        hw_object_forget(message->reference, info);
    return held;
}

bool hw_message_clear(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    if (!hw_object_change(message, info)) return false;
    forget(message->reference, info, &info->fields[index]);
    return true;
}

bool hw_message_add(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits) {
    const struct hw_field_info *field = &info->fields[index];
    struct hw_array_list *list = hw_object_there(message) ? hw_list_room(message, field->offset, field->type) : NULL;

    if (!list) return false;
    hw_object_forget(message->reference, info);
    hw_value_store(hw_array_bytes(list->array) + (list->count++ << hw_value_shift(field->type)), field->type, bits);
    return true;
}

/* Appends an element of the message's own memory. */
static inline bool append(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle element) {
    const struct hw_field_info *field = &info->fields[index];
    struct hw_array_list *list = hw_list_room(message, field->offset, field->type);

    if (!list) return false;
    hw_object_forget(message->reference, info);
    hw_write_message((hw_ref *)(void *)hw_array_bytes(list->array) + list->count++, element->reference);
    return true;
}

bool hw_message_add_element(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle element) {
    return hw_object_there(message) && hw_object_there(element) &&
           hw_object_may_refer(message->reference, element->reference) && append(message, info, index, element);
}

bool hw_message_add_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                          uint32_t length) {
    hw_scope scope = hw_scope_open();
    bool there = hw_object_there(message);
    hw_handle string = there ? hw_handle_hold(hw_object_bytes_beside(message, data, length)) : NULL;
    bool added = string && append(message, info, index, string);

    hw_scope_close(scope);
    return added;
}

OFTEN hw_handle hw_message_add_message(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    hw_scope scope = hw_scope_open();
    bool there = hw_object_there(message);
    hw_handle element = there ? hw_object_message_beside(message, info->fields[index].message) : NULL;

    if (element && append(message, info, index, element)) return element;
    hw_scope_close(scope);
    return NULL;
}

bool hw_message_set_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                       uint64_t bits) {
    const struct hw_field_info *field = &info->fields[index];

    if (!hw_object_there(message)) return false;
    void *element = hw_list_element(message, field->offset, at, hw_value_shift(field->type));

    if (!element) return false;
    hw_object_forget(message->reference, info);
    hw_value_store(element, field->type, bits);
    return true;
}

bool hw_message_set_bytes_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                             const void *data, uint32_t length) {
    const struct hw_field_info *field = &info->fields[index];
    bool there = hw_object_there(message) && hw_list_element(message, field->offset, at, 2);
    hw_ref string = there ? hw_object_bytes_beside(message, data, length) : 0;

    if (string == 0) return false;
    hw_object_forget(message->reference, info);
    hw_write_message(hw_list_element(message, field->offset, at, 2), string);
    return true;
}

hw_handle hw_message_mutable_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at) {
    hw_handle element = hw_object_there(message) ? hw_list_message(message, info->fields[index].offset, at) : NULL;

    if (element) hw_object_forget(message->reference, info);
    return element;
}
