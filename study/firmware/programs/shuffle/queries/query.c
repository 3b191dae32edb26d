#include "programs/shuffle/queries/query.h"

#include "programs/shuffle/queries/list.h"

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
    bool good = record && list_append(query_part(shuffle, bucket(shuffle, input, key % shuffle->workers)), record);

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

bool query_put_result(struct shuffle *shuffle, const struct hw_klass *klass, uint32_t sum_at, uint64_t sum,
                      uint32_t about_at, hw_handle about) {
    hw_handle result = hw_new(klass);

    if (!result) return false;
    *(uint64_t *)((char *)hw_handle_object(result) + sum_at) = sum;
    hw_set(result, about_at, about);
    return query_put(shuffle, 0, 0, result);
}

bool query_list_result(struct shuffle *shuffle, hw_handle result, uint32_t about_at) {
    hw_scope scope = hw_scope_open();
    bool whole = shuffle->worker == 0 && hw_get(result, about_at);

    hw_scope_close(scope);
    return whole && query_list(shuffle, result);
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
        bool good = query_put(shuffle, input, key(scale, row), table->make(scale, row));

        hw_scope_close(scope);
        if (!good) return false;
    }
    return true;
}

/* Writes what was put for a peer, and forgets it. */
static bool send_input(struct shuffle *shuffle, uint32_t peer, uint32_t input, const struct query_input *kind,
                       struct hw_object_output *stream) {
    hw_handle records = list_take(query_part(shuffle, bucket(shuffle, input, peer)), kind->array);

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
    hw_handle records;

    if (!hw_objects_read(stream, &records) || !records ||
        !shape_is_array(records->reference, input->array, input->shape))
        return false;
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
