#include "runtime/accessors/map.h"

#include "runtime/accessors/find.h"
#include "runtime/accessors/put.h"
#include "runtime/heap/card.h"

static struct hw_values entries_of(hw_handle message, const struct hw_field_info *field) {
    return hw_field_elements(message ? message->reference : 0, field);
}

uint32_t hw_map_next(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t from) {
    const struct hw_field_info *field = &info->fields[index];
    struct hw_values entries = entries_of(message, field);

    while (from < entries.count && !hw_entry_counts(entries, hw_entry_key_field(field->message), from)) from++;
    return from < entries.count ? from : entries.count;
}

uint32_t hw_map_size(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    const struct hw_field_info *field = &info->fields[index];
    struct hw_values entries = entries_of(message, field);
    uint32_t size = 0;

    for (uint32_t i = 0; i < entries.count; i++)
        size += hw_entry_counts(entries, hw_entry_key_field(field->message), i);
    return size;
}

static bool set_part(hw_handle entry, const struct hw_message_info *info, uint32_t index,
                     const struct hw_map_key *value) {
    if (hw_value_is_bytes(info->fields[index].type))
        return hw_message_set_bytes(entry, info, index, value->bytes.data, value->bytes.length);
    return hw_message_set(entry, info, index, value->bits);
}

/* Appends an entry, step by step. The value is `made`, if that is not NULL, else `value`. */
static bool append(hw_handle message, const struct hw_message_info *info, uint32_t index, const struct hw_map_key *key,
                   const struct hw_map_key *value, hw_handle made) {
    const struct hw_message_info *type = info->fields[index].message;
    hw_scope scope = hw_scope_open();
    hw_handle entry = hw_object_message_beside(message, type);
    bool done = entry && set_part(entry, type, 0, key) &&
                (made ? hw_message_set_message(entry, type, 1, made) : set_part(entry, type, 1, value)) &&
                hw_message_add_element(message, info, index, entry);

    if (done) {
        struct hw_values entries = entries_of(message, &info->fields[index]);
        struct hw_map_key at = hw_entry_key(hw_entry_at(entries, entries.count - 1), hw_entry_key_field(type));
        if (entries.count >= HW_MAP_INDEXED) hw_entries_appended(entries, hw_entry_key_field(type), &at);
    }
    hw_scope_close(scope);
    return done;
}

/* Returns the entry that counts for a key; 0 if there is none. */
static hw_ref entry_of(hw_handle message, const struct hw_field_info *field, const struct hw_map_key *key) {
    struct hw_values entries = entries_of(message, field);
    uint32_t index = hw_entries_find(entries, hw_entry_key_field(field->message), key);

    return index != HW_MAP_NONE ? hw_entry_at(entries, index) : 0;
}

bool hw_map_put_slowly(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key,
                       struct hw_map_key value) {
    const struct hw_field_info *field = &info->fields[index];
    hw_ref found = entry_of(message, field, &key);
    hw_scope scope = hw_scope_open();
    hw_handle entry = hw_handle_hold(found);
    bool done =
        found ? entry && set_part(entry, field->message, 1, &value) : append(message, info, index, &key, &value, NULL);

    if (done) hw_object_forget(message->reference, info);
    hw_scope_close(scope);
    return done;
}

hw_handle hw_map_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key) {
    const struct hw_field_info *field = &info->fields[index];
    const struct hw_message_info *type = hw_entry_value_field(field->message)->message;
    hw_scope scope = hw_scope_open();
    hw_ref found = hw_object_there(message) ? entry_of(message, field, &key) : 0;
    /* The first handle becomes that of the value. */
    hw_handle result = found ? hw_handle_hold(found) : message ? hw_object_message_beside(message, type) : NULL;
    hw_handle value = found && result ? hw_message_mutable(result, field->message, 1) : result;
    bool done = value && (found || append(message, info, index, &key, NULL, value));

    if (done) {
        hw_object_forget(message->reference, info);
        result->reference = value->reference;
    }
    hw_scope_close(done ? result + 1 : scope);
    return done ? result : NULL;
}

bool hw_map_remove(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key) {
    const struct hw_field_info *field = &info->fields[index];

    if (!hw_object_there(message)) return false;
    if (entry_of(message, field, &key) == 0) return true;
    struct hw_array_list *list = hw_pointer(hw_read_32(message, field->offset));
    hw_ref *elements = (hw_ref *)(void *)hw_array_bytes(list->array);
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        struct hw_map_key other = hw_entry_key(elements[i], hw_entry_key_field(field->message));
        if (!hw_keys_equal(&key, &other)) hw_write_message(&elements[count++], elements[i]);
    }
    memset(&elements[count], 0, (list->count - count) * sizeof *elements);
    list->count = count;
    hw_object_forget(message->reference, info);
    return hw_map_rekey();
}
