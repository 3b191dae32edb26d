#include "runtime/accessors/build.h"

#include <string.h>

#include "runtime/accessors/view.h"
#include "runtime/compiler.h"
#include "runtime/heap/card.h"
#include "runtime/registers.h"

static void unset(hw_handle message, uint32_t offset) {
    *(int32_t *)((char *)hw_handle_object(message) + offset) = HW_OBJECT_MEMO_UNSET;
}

bool hw_object_change(hw_handle message, const struct hw_message_info *info) {
    if (!hw_object_there(message)) return false;
    unset(message, info->memoized_size);
    unset(message, info->memoized_is_initialized);
    return true;
}

hw_handle hw_message_new(const struct hw_message_info *info) {
    const struct hw_klass *klass = hw_message_klass_of(info);
    hw_handle message = klass ? hw_new(klass) : NULL;

    if (message) {
        hw_object_change(message, info);
        /* Read after the allocation, which may have moved the singleton. */
        hw_write(hw_pointer(message->reference + info->unknown_fields), hw_registers[HW_REG_UNKNOWN_FIELDS]);
    }
    return message;
}

static COLD_CALL hw_ref new_long_bytes(const void *data, uint32_t length) {
    hw_scope scope = hw_scope_open();
    hw_handle bytes = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY]), length);
    hw_ref string = bytes ? hw_allocate(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_STRING])) : 0;

    if (string) {
        memcpy(hw_array_bytes(bytes->reference), data, length);
        hw_write(hw_pointer(string + HW_OBJECT_BYTE_STRING_BYTES), bytes->reference);
    }
    hw_scope_close(scope);
    return string;
}

#define OVERHEAD (HW_OBJECT_BYTE_STRING_SIZE + HW_OBJECT_ARRAY_ELEMENTS)

/* String and array are allocated at once, and in eden, so that the reference between them needs no barrier. */
hw_ref hw_object_new_bytes(const void *data, uint32_t length) {
    struct hw_thread *thread = hw_thread;
    uint32_t bytes = OVERHEAD + hw_object_round(length);
    hw_ref taken = thread->buffer.top;

    if (UNLIKELY(length > hw_large_threshold() - OVERHEAD - HW_OBJECT_ALIGNMENT)) return new_long_bytes(data, length);
    if (LIKELY(bytes <= thread->buffer.limit - taken))
        thread->buffer.top = taken + bytes;
    else if ((taken = hw_allocate_slow(bytes)) == 0)
        return 0;
    struct hw_byte_string *string = hw_pointer(taken);
    struct hw_array *array = (struct hw_array *)(string + 1);

    string->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_BYTE_STRING]};
    string->hash = 0;
    string->bytes = hw_reference(array);
    array->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_registers[HW_REG_KLASS_BYTE_ARRAY]};
    array->length = length;
    array->padding = 0;
    if (length % HW_OBJECT_ALIGNMENT != 0) *(uint64_t *)(void *)&array->elements[length - length % 8] = 0;
    memcpy(array->elements, data, length);
    return taken;
}

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

    if ((field->flags & HW_FIELD_IMPLICIT) && length == 0) return hw_message_clear(message, info, index);
    hw_ref string = hw_object_there(message) ? hw_object_new_bytes(data, length) : 0;

    if (string == 0) return false;
    hw_object_change(message, info);
    present(message, info, field);
    hw_write((hw_ref *)(void *)slot_of(message, field), string);
    return true;
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

/* Appends an existing element to a list that has room. Returns false if there is none. */
static inline bool add_at_once(hw_handle message, const struct hw_field_info *field, uint64_t bits, hw_handle value) {
    struct hw_array_list *list = hw_pointer(hw_read_32(message, field->offset));
    struct hw_array *array = list ? hw_pointer(list->array) : NULL;

    if (!array || list->count >= array->length) return false;
    void *element = array->elements + (list->count << hw_value_shift(field->type));

    if (value)
        hw_write(element, value->reference);
    else
        hw_value_store(element, field->type, bits);
    list->count++;
    return true;
}

/* Appends an existing element. Making room comes first, because nothing after it can fail. */
static bool add(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits, hw_handle value) {
    const struct hw_field_info *field = &info->fields[index];

    if (LIKELY(add_at_once(message, field, bits, value))) return hw_object_change(message, info);
    hw_scope scope = hw_scope_open();
    hw_handle array = hw_list_room(message, field->offset, field->type);

    if (array) {
        hw_object_change(message, info);
        hw_list_append(message, field->offset, field->type, array, bits, value);
    }
    hw_scope_close(scope);
    return array != NULL;
}

bool hw_message_add(hw_handle message, const struct hw_message_info *info, uint32_t index, uint64_t bits) {
    return hw_object_there(message) && add(message, info, index, bits, NULL);
}

bool hw_message_add_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, const void *data,
                          uint32_t length) {
    hw_scope scope = hw_scope_open();
    hw_handle string = hw_object_there(message) ? hw_handle_hold(hw_object_new_bytes(data, length)) : NULL;
    bool added = string && add(message, info, index, 0, string);

    hw_scope_close(scope);
    return added;
}

bool hw_message_add_element(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle element) {
    return hw_object_there(message) && add(message, info, index, 0, element);
}

hw_handle hw_message_add_message(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    hw_scope scope = hw_scope_open();
    hw_handle element = hw_object_there(message) ? hw_message_new(info->fields[index].message) : NULL;

    if (element && add(message, info, index, 0, element)) return element;
    hw_scope_close(scope);
    return NULL;
}

bool hw_message_set_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                       uint64_t bits) {
    const struct hw_field_info *field = &info->fields[index];

    if (!hw_object_there(message)) return false;
    void *element = hw_list_element(message, field->offset, at, hw_value_shift(field->type));

    if (!element) return false;
    hw_object_change(message, info);
    hw_value_store(element, field->type, bits);
    return true;
}

bool hw_message_set_bytes_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at,
                             const void *data, uint32_t length) {
    const struct hw_field_info *field = &info->fields[index];
    hw_scope scope = hw_scope_open();
    bool there = hw_object_there(message) && hw_list_element(message, field->offset, at, 2) != NULL;
    hw_handle string = there ? hw_handle_hold(hw_object_new_bytes(data, length)) : NULL;
    hw_handle list = string ? hw_get(message, field->offset) : NULL;
    hw_handle array = list ? hw_get(list, HW_OBJECT_ARRAY_LIST_ARRAY) : NULL;

    if (array) {
        hw_object_change(message, info);
        hw_set_element(array, at, string);
    }
    hw_scope_close(scope);
    return array != NULL;
}

hw_handle hw_message_mutable_at(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t at) {
    hw_handle element = hw_object_there(message) ? hw_list_message(message, info->fields[index].offset, at) : NULL;

    if (element) hw_object_change(message, info);
    return element;
}
