/* What a worker of a query has taken: records and sums by the places of their keys, and a list. */
#include "programs/shuffle/queries/list.h"
#include "programs/shuffle/queries/query.h"
#include "runtime/java/string.h"

static bool set_part(struct shuffle *shuffle, enum query_part part, hw_handle made) {
    if (made) hw_set_element(shuffle->data, part, made);
    return made != NULL;
}

bool query_new_rows(struct shuffle *shuffle, enum query_part part, uint32_t keys, uint32_t count) {
    return set_part(shuffle, part, hw_new_array(HW_CLASS_Object_array, query_places(shuffle, keys) * count));
}

bool query_new_sums(struct shuffle *shuffle, uint32_t keys, uint32_t count) {
    return set_part(shuffle, QUERY_SUMS, hw_new_array(HW_CLASS_long_array, query_places(shuffle, keys) * count));
}

bool query_new_list(struct shuffle *shuffle) { return set_part(shuffle, QUERY_LIST, list_new()); }

uint64_t *query_sums(const struct shuffle *shuffle) {
    hw_ref data = shuffle->data->reference;
    const hw_ref *parts = hw_pointer(data + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    return hw_pointer(parts[QUERY_SUMS] + HW_OBJECT_METADATA_ARRAY_ELEMENTS);
}

uint32_t query_count(const struct shuffle *shuffle, enum query_part part) {
    const hw_ref *parts = hw_pointer(shuffle->data->reference + HW_OBJECT_METADATA_ARRAY_ELEMENTS);

    return hw_array_length(parts[part]);
}

bool query_owns(const struct shuffle *shuffle, uint32_t key, uint32_t keys) {
    return key < keys && key % shuffle->workers == shuffle->worker;
}

bool query_keep(struct shuffle *shuffle, uint32_t key, uint32_t keys, hw_handle record) {
    if (!query_owns(shuffle, key, keys)) return false;
    hw_set_element(query_part(shuffle, QUERY_ROWS), query_place(shuffle, key), record);
    return true;
}

bool query_add(struct shuffle *shuffle, uint32_t key, uint32_t keys, uint64_t amount) {
    if (!query_owns(shuffle, key, keys)) return false;
    query_sums(shuffle)[query_place(shuffle, key)] += amount;
    return true;
}

bool query_list(struct shuffle *shuffle, hw_handle record) {
    return list_append(query_part(shuffle, QUERY_LIST), record);
}

uint32_t query_listed(const struct shuffle *shuffle) {
    hw_scope scope = hw_scope_open();
    uint32_t size = list_size(query_part(shuffle, QUERY_LIST));

    hw_scope_close(scope);
    return size;
}

hw_handle query_list_record(const struct shuffle *shuffle, uint32_t index) {
    return list_get(query_part(shuffle, QUERY_LIST), index);
}

hw_handle query_row(const struct shuffle *shuffle, enum query_part part, uint32_t place) {
    return hw_get_element(query_part(shuffle, part), place);
}

bool query_each_sum(struct shuffle *shuffle, bool (*visit)(struct shuffle *shuffle, hw_handle record, uint64_t sum)) {
    for (uint32_t place = 0, count = query_count(shuffle, QUERY_ROWS); place < count; place++) {
        uint64_t sum = query_sums(shuffle)[place];
        hw_scope scope = hw_scope_open();
        hw_handle record = query_row(shuffle, QUERY_ROWS, place);
        bool good = !record || !sum || visit(shuffle, record, sum);

        hw_scope_close(scope);
        if (!good) return false;
    }
    return true;
}

void query_sort(struct shuffle *shuffle, bool (*first)(hw_ref one, hw_ref other)) {
    list_sort(query_part(shuffle, QUERY_LIST), first);
}

const char *query_text(hw_handle record, uint32_t offset, char to[QUERY_TEXT_MAX]) {
    hw_scope scope = hw_scope_open();
    hw_handle text = hw_get(record, offset);
    uint32_t length = text ? hw_string_to_utf8(text, to, QUERY_TEXT_MAX - 1) : 0;

    to[length < QUERY_TEXT_MAX ? length : QUERY_TEXT_MAX - 1] = 0;
    hw_scope_close(scope);
    return to;
}

uint64_t query_revenue(hw_handle item) {
    return FIELD(item, uint64_t, LineItemRow_price) * (100 - FIELD(item, uint32_t, LineItemRow_discount));
}
