
#include "runtime/accessors/build.h"
#include "runtime/accessors/view.h"
#include "runtime/compiler.h"

static struct hw_values entries_of(hw_handle message, const struct hw_field_info *field) {
    return hw_field_elements(message ? message->reference : 0, field);
}

/* The bytes behind the first word are compared only if length and first word are equal. */
static __attribute__((noinline)) uint32_t find_bytes(const hw_ref *entries, uint32_t offset, const struct hw_bytes *key,
                                                     uint32_t first, uint32_t at) {
    uint32_t length = key->length, head = length < 4 ? length : 4, word = 0;
    uint32_t mask = head == 4 ? ~0u : (1u << head * 8) - 1;

    for (uint32_t i = 0; i < head; i++) word |= (uint32_t)key->data[i] << i * 8;
    while (at-- > first) {
        hw_ref string = entries[at] ? *(const hw_ref *)hw_pointer(entries[at] + offset) : 0;
        hw_ref array = string ? ((const struct hw_byte_string *)hw_pointer(string))->bytes : 0;

        if ((array ? hw_array_length(array) : 0) != length) continue;
        if (length == 0) return at;
        const uint8_t *bytes = hw_array_bytes(array);

        if (((*(const uint32_t *)(const void *)bytes ^ word) & mask) != 0) continue;
        if (length == head || memcmp(bytes + head, key->data + head, length - head) == 0) return at;
    }
    return HW_MAP_NONE;
}

static uint32_t find_word(const hw_ref *entries, uint32_t offset, uint32_t key, uint32_t first, uint32_t at) {
    while (at-- > first)
        if ((entries[at] ? *(const uint32_t *)hw_pointer(entries[at] + offset) : 0) == key) return at;
    return HW_MAP_NONE;
}

static COLD_CALL uint32_t find_value(const hw_ref *entries, const struct hw_field_info *field, uint64_t key,
                                     uint32_t first, uint32_t at) {
    while (at-- > first)
        if (hw_field_bits(entries[at], field) == key) return at;
    return HW_MAP_NONE;
}

uint32_t hw_entries_find(struct hw_values entries, const struct hw_message_info *info, const struct hw_map_key *key,
                         uint32_t first) {
    const struct hw_field_info *field = hw_entry_key_field(info);
    const hw_ref *entry = (const hw_ref *)(const void *)entries.at;

    if (hw_value_is_bytes(field->type)) return find_bytes(entry, field->offset, &key->bytes, first, entries.count);
    if (hw_value_shift(field->type) != 2) return find_value(entry, field, key->bits, first, entries.count);
    return find_word(entry, field->offset, (uint32_t)key->bits, first, entries.count);
}

/* Returns the entry that counts for a key; 0 if there is none. */
static hw_ref find(hw_handle message, const struct hw_field_info *field, const struct hw_map_key *key) {
    struct hw_values entries = entries_of(message, field);
    uint32_t at = hw_entries_find(entries, field->message, key, 0);

    return at != HW_MAP_NONE ? hw_entry_at(entries, at) : 0;
}

uint32_t hw_map_find(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key) {
    const struct hw_field_info *field = &info->fields[index];

    return hw_entries_find(entries_of(message, field), field->message, &key, 0);
}

uint32_t hw_map_next(hw_handle message, const struct hw_message_info *info, uint32_t index, uint32_t from) {
    const struct hw_field_info *field = &info->fields[index];
    struct hw_values entries = entries_of(message, field);

    while (from < entries.count && !hw_entry_counts(entries, field->message, from)) from++;
    return from < entries.count ? from : entries.count;
}

uint32_t hw_map_size(hw_handle message, const struct hw_message_info *info, uint32_t index) {
    struct hw_values entries = entries_of(message, &info->fields[index]);
    uint32_t size = 0;

    for (uint32_t i = 0; i < entries.count; i++) size += hw_entry_counts(entries, info->fields[index].message, i);
    return size;
}

uint64_t hw_map_bits(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key) {
    const struct hw_field_info *field = &info->fields[index];

    return hw_field_bits(find(message, field, &key), hw_entry_value_field(field->message));
}

struct hw_bytes hw_map_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index,
                             struct hw_map_key key) {
    return hw_byte_string_bytes((hw_ref)hw_map_bits(message, info, index, key));
}

hw_handle hw_map_message(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key) {
    return hw_handle_hold((hw_ref)hw_map_bits(message, info, index, key));
}

/* Returns a handle on the entry of a key. If there is none, returns a new entry that is not in the map yet, and sets
 * `*fresh`. */
static hw_handle entry_for(hw_handle message, const struct hw_field_info *field, const struct hw_map_key *key,
                           bool *fresh) {
    hw_ref found = hw_object_there(message) ? find(message, field, key) : 0;
    hw_handle entry;

    *fresh = message && found == 0;
    if (!*fresh) return hw_handle_hold(found);
    entry = hw_message_new(field->message);
    bool keyed = entry && (hw_value_is_bytes(hw_entry_key_field(field->message)->type)
                               ? hw_message_set_bytes(entry, field->message, 0, key->bytes.data, key->bytes.length)
                               : hw_message_set(entry, field->message, 0, key->bits));

    return keyed ? entry : NULL;
}

/* Adds a fresh entry to the map. A change of an existing entry is a change of the message, too. */
static bool enter(hw_handle message, const struct hw_message_info *info, uint32_t index, hw_handle entry, bool fresh) {
    return fresh ? hw_message_add_element(message, info, index, entry) : hw_object_change(message, info);
}

bool hw_map_put(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key,
                uint64_t bits) {
    const struct hw_field_info *field = &info->fields[index];
    hw_scope scope = hw_scope_open();
    bool fresh;
    hw_handle entry = entry_for(message, field, &key, &fresh);
    bool done = entry && hw_message_set(entry, field->message, 1, bits) && enter(message, info, index, entry, fresh);

    hw_scope_close(scope);
    return done;
}

bool hw_map_put_bytes(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key,
                      const void *data, uint32_t length) {
    const struct hw_field_info *field = &info->fields[index];
    hw_scope scope = hw_scope_open();
    bool fresh;
    hw_handle entry = entry_for(message, field, &key, &fresh);
    bool done = entry && hw_message_set_bytes(entry, field->message, 1, data, length) &&
                enter(message, info, index, entry, fresh);

    hw_scope_close(scope);
    return done;
}

hw_handle hw_map_mutable(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key) {
    const struct hw_field_info *field = &info->fields[index];
    /* This handle comes first, so that it outlives the scope of the others. */
    hw_handle result = hw_handle_new(0);
    hw_scope scope = hw_scope_open();
    bool fresh;

    if (!result) {
        hw_exception_raise(HW_OUT_OF_HANDLES);
        return NULL;
    }
    hw_handle entry = entry_for(message, field, &key, &fresh);
    hw_handle value = entry ? hw_message_mutable(entry, field->message, 1) : NULL;
    bool done = value && enter(message, info, index, entry, fresh);

    result->reference = done ? value->reference : 0;
    hw_scope_close(scope);
    return done ? result : NULL;
}

bool hw_map_remove(hw_handle message, const struct hw_message_info *info, uint32_t index, struct hw_map_key key) {
    const struct hw_field_info *field = &info->fields[index];
    hw_scope scope = hw_scope_open();

    if (!hw_object_there(message)) return false;
    if (find(message, field, &key) == 0) return true;
    hw_handle list = hw_get(message, field->offset), array = list ? hw_get(list, HW_OBJECT_ARRAY_LIST_ARRAY) : NULL;
    hw_handle kept = array ? hw_handle_new(0) : NULL;

    if (kept) {
        /* No safepoint in this loop: raw references stay valid, and one handle serves every entry. */
        struct hw_array_list *object = hw_handle_object(list);
        struct hw_values entries = entries_of(message, field);
        uint32_t count = 0;

        for (uint32_t i = 0; i < entries.count; i++) {
            struct hw_map_key other = hw_entry_key(hw_entry_at(entries, i), field->message);
            if (hw_keys_equal(&key, &other)) continue;
            kept->reference = hw_entry_at(entries, i);
            hw_set_element(array, count++, kept);
        }
        for (uint32_t i = count; i < entries.count; i++) hw_set_element(array, i, NULL);
        object->count = count;
        hw_object_change(message, info);
    } else {
        hw_exception_raise(HW_OUT_OF_HANDLES);
    }
    hw_scope_close(scope);
    return kept != NULL;
}
