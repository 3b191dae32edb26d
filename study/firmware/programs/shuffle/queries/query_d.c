/* Query QD: the number of late orders in each quarter of a year. An order is late if one of its items was received
 * after the day to which the supplier had committed. ORDERS meets LINEITEM by order; the counts meet by quarter. */
#include <stdio.h>

#include "programs/shuffle/queries/query.h"

#define QUARTERS 4u

static bool of_the_year(uint32_t scale, uint32_t row) { return table_order_date(scale, row) < TABLE_YEAR; }

static bool late(uint32_t scale, uint32_t row) {
    return table_item_committed(scale, row) < table_item_received(scale, row);
}

static bool prepare_orders(struct shuffle *shuffle) {
    return query_new_rows(shuffle, QUERY_ROWS, shuffle->scale, 1) && query_new_sums(shuffle, shuffle->scale, 1) &&
           query_scan(shuffle, 0, &table_orders, of_the_year, table_own_key) &&
           query_scan(shuffle, 1, &table_items, late, table_item_order);
}

static bool take_order(struct shuffle *shuffle, hw_handle order) {
    return FIELD(order, uint32_t, OrderRow_date) < TABLE_YEAR &&
           query_keep(shuffle, FIELD(order, uint32_t, OrderRow_order), shuffle->scale, order);
}

static bool take_item(struct shuffle *shuffle, hw_handle item) {
    return query_add(shuffle, FIELD(item, uint32_t, LineItemRow_order), shuffle->scale, 1);
}

static uint32_t quarter_of(uint32_t day) {
    static const uint32_t begins[QUARTERS] = {0, 90, 181, 273};
    uint32_t quarter = QUARTERS - 1;

    while (day < begins[quarter]) quarter--;
    return quarter;
}

/* A worker sends one count for each quarter. */
static bool prepare_quarters(struct shuffle *shuffle) {
    uint64_t counts[QUARTERS] = {0};

    for (uint32_t place = 0, count = query_count(shuffle, QUERY_ROWS); place < count; place++) {
        hw_scope scope = hw_scope_open();
        hw_handle order = query_row(shuffle, QUERY_ROWS, place);

        if (order && query_sums(shuffle)[place]) counts[quarter_of(FIELD(order, uint32_t, OrderRow_date))]++;
        hw_scope_close(scope);
    }
    for (uint32_t quarter = 0; quarter < QUARTERS; quarter++)
        if (counts[quarter] && !query_put_sum(shuffle, 0, quarter, counts[quarter])) return false;
    return query_new_sums(shuffle, QUARTERS, 1);
}

static bool take_count(struct shuffle *shuffle, hw_handle sum) {
    return query_add(shuffle, FIELD(sum, uint32_t, KeyedSum_key), QUARTERS, FIELD(sum, uint64_t, KeyedSum_sum));
}

static bool finish(struct shuffle *shuffle) {
    for (uint32_t place = 0, count = query_count(shuffle, QUERY_SUMS); place < count; place++) {
        char key[QUERY_TEXT_MAX];

        if (query_sums(shuffle)[place] == 0) continue;
        snprintf(key, sizeof key, "quarter-%lu", (unsigned long)shuffle_key(shuffle, place) + 1);
        shuffle_emit(shuffle, key, query_sums(shuffle)[place]);
    }
    return true;
}

static const struct query_phase phases[] = {
    {prepare_orders, {{&shape_order, take_order}, {&shape_line_item, take_item}}},
    {prepare_quarters, {{&shape_keyed_sum, take_count}}},
};

const struct query query_d = QUERY(PROGRAM_QUERY_D, finish, NULL);
