#include "programs/shuffle/queries/query.h"

#include "programs/shuffle/list.h"
#include "runtime/java/string.h"

static const struct query *query_of(const struct shuffle *shuffle) { return (const struct query *)shuffle->program; }

static uint32_t bucket(const struct shuffle *shuffle, uint32_t input, uint32_t peer) {
    return QUERY_BUCKETS + input * shuffle->workers + peer;
}

bool query_begin(struct shuffle *shuffle) {
    uint32_t parts = bucket(shuffle, QUERY_INPUTS, 0);
    hw_handle data = hw_new_array(HW_CLASS_Object_array, parts);

    if (!data) return false;
    for (uint32_t part = QUERY_LIST; part < parts; part++) {
        hw_handle list = list_new();

        if (!list) return false;
        hw_set_element(data, part, list);
        hw_handle_drop_latest();
    }
    return (shuffle->data = hw_global_new(data)) != NULL && query_of(shuffle)->phases[0].prepare(shuffle);
}

bool query_put(struct shuffle *shuffle, uint32_t input, uint32_t key, hw_handle record) {
    hw_scope scope = hw_scope_open();
    bool good = record && list_append(shuffle_part(shuffle, bucket(shuffle, input, key % shuffle->workers)), record);

    hw_scope_close(scope);
    return good;
}

bool query_put_sum(struct shuffle *shuffle, uint32_t input, uint32_t key, uint64_t sum) {
    hw_scope scope = hw_scope_open();
    hw_handle record = hw_new(HW_CLASS_KeyedSum);

    if (record) {
        FIELD(record, uint32_t, KeyedSum_key) = key;
        FIELD(record, uint64_t, KeyedSum_sum) = sum;
    }
    bool good = query_put(shuffle, input, key, record);

    hw_scope_close(scope);
    return good;
}

bool query_scan(struct shuffle *shuffle, uint32_t input, const struct table *table,
                bool (*wanted)(uint32_t scale, uint32_t row), table_column *key) {
    uint32_t scale = shuffle->scale;
    uint64_t rows = table->rows(scale);
    uint32_t from = (uint32_t)(rows * shuffle->worker / shuffle->workers);
    uint32_t limit = (uint32_t)(rows * (shuffle->worker + 1) / shuffle->workers);

    for (uint32_t row = from; row < limit; row++) {
        if ((table->has && !table->has(row)) || (wanted && !wanted(scale, row))) continue;
        hw_scope scope = hw_scope_open();
        hw_handle record = hw_new(table->klass);
        bool good = record && table->make(scale, row, record) && query_put(shuffle, input, key(scale, row), record);

        hw_scope_close(scope);
        if (!good) return false;
    }
    return true;
}

/* Writes what was put for a peer, and forgets it. */
static bool send_input(struct shuffle *shuffle, uint32_t peer, uint32_t input, const struct query_input *kind,
                       struct hw_object_output *stream) {
    hw_handle records = list_take(shuffle_part(shuffle, bucket(shuffle, input, peer)), kind->shape->array);

    return records && hw_objects_write(stream, records);
}

bool query_send(struct shuffle *shuffle, uint32_t peer, struct hw_object_output *stream) {
    const struct query_phase *phase = &query_of(shuffle)->phases[shuffle->phase];

    for (uint32_t input = 0; input < QUERY_INPUTS; input++)
        if (phase->inputs[input].shape && !send_input(shuffle, peer, input, &phase->inputs[input], stream))
            return false;
    return true;
}

static bool receive_input(struct shuffle *shuffle, const struct query_input *input, struct hw_object_input *stream) {
    hw_handle records = shape_read_array(stream, input->shape);

    if (!records) return false;
    for (uint32_t i = 0; i < hw_array_length(records->reference); i++) {
        hw_scope scope = hw_scope_open();
        hw_handle record = hw_get_element(records, i);
        bool good = input->take(shuffle, record);

        hw_scope_close(scope);
        if (!good) return false;
    }
    return true;
}

bool query_receive(struct shuffle *shuffle, uint32_t peer, struct hw_object_input *stream) {
    const struct query_phase *phase = &query_of(shuffle)->phases[shuffle->phase];

    (void)peer;
    for (uint32_t input = 0; input < QUERY_INPUTS; input++)
        if (phase->inputs[input].shape && !receive_input(shuffle, &phase->inputs[input], stream)) return false;
    return true;
}

bool query_compute(struct shuffle *shuffle, bool *more) {
    const struct query *query = query_of(shuffle);
    uint32_t next = shuffle->phase + 1;

    *more = next < query->phase_count;
    return !*more || query->phases[next].prepare(shuffle);
}

/* What a worker has taken: records and sums by the places of their keys, and a list. */

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
    hw_set_element(shuffle_part(shuffle, QUERY_ROWS), shuffle_place(shuffle, key), record);
    return true;
}

bool query_add(struct shuffle *shuffle, uint32_t key, uint32_t keys, uint64_t amount) {
    if (!query_owns(shuffle, key, keys)) return false;
    query_sums(shuffle)[shuffle_place(shuffle, key)] += amount;
    return true;
}

bool query_list(struct shuffle *shuffle, hw_handle record) {
    return list_append(shuffle_part(shuffle, QUERY_LIST), record);
}

bool query_each_listed(struct shuffle *shuffle, bool (*visit)(struct shuffle *shuffle, hw_handle record)) {
    hw_scope scope = hw_scope_open();
    uint32_t count = list_size(shuffle_part(shuffle, QUERY_LIST));
    bool good = true;

    hw_scope_close(scope);
    for (uint32_t i = 0; i < count && good; i++) {
        good = visit(shuffle, list_get(shuffle_part(shuffle, QUERY_LIST), i));
        hw_scope_close(scope);
    }
    return good;
}

hw_handle query_row(const struct shuffle *shuffle, enum query_part part, uint32_t place) {
    return hw_get_element(shuffle_part(shuffle, part), place);
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

bool query_keep_order(struct shuffle *shuffle, hw_handle order) {
    return query_keep(shuffle, FIELD(order, uint32_t, OrderRow_order), shuffle->scale, order);
}

bool query_keep_customer(struct shuffle *shuffle, hw_handle customer) {
    return query_keep(shuffle, FIELD(customer, uint32_t, CustomerRow_customer), table_customer_count(shuffle->scale),
                      customer);
}

bool query_add_revenue(struct shuffle *shuffle, hw_handle item) {
    return query_add(shuffle, FIELD(item, uint32_t, LineItemRow_order), shuffle->scale, query_revenue(item));
}
