/* Query QC: shipping priority and potential revenue of the orders of one market segment that were pending on a day, by
 * falling revenue. ORDERS meets CUSTOMER by customer, then LINEITEM by order; worker 0 sorts. */
#include <stdio.h>

#include "programs/shuffle/queries/query.h"

#define DAY 400u /* ordered before it, shipped after it */

static bool of_segment(uint32_t scale, uint32_t row) { return table_segment(scale, row) == TABLE_BUILDING; }
static bool ordered_before(uint32_t scale, uint32_t row) { return table_order_date(scale, row) < DAY; }
static bool shipped_after(uint32_t scale, uint32_t row) { return table_item_shipped(scale, row) > DAY; }

static bool prepare_customers(struct shuffle *shuffle) {
    return query_new_list(shuffle) && query_new_rows(shuffle, QUERY_ROWS, table_customer_count(shuffle->scale), 1) &&
           query_scan(shuffle, 0, &table_orders, ordered_before, table_order_customer) &&
           query_scan(shuffle, 1, &table_customers, of_segment, table_own_key);
}

static bool take_customers_order(struct shuffle *shuffle, hw_handle order) {
    return query_owns(shuffle, FIELD(order, uint32_t, OrderRow_customer), table_customer_count(shuffle->scale)) &&
           query_list(shuffle, order);
}

/* Sends an order on to its items, if its customer was kept. */
static bool put_order(struct shuffle *shuffle, hw_handle order) {
    uint32_t place = shuffle_place(shuffle, FIELD(order, uint32_t, OrderRow_customer));

    return !query_row(shuffle, QUERY_ROWS, place) ||
           query_put(shuffle, 0, FIELD(order, uint32_t, OrderRow_order), order);
}

static bool prepare_items(struct shuffle *shuffle) {
    return query_each_listed(shuffle, put_order) && query_new_list(shuffle) &&
           query_new_rows(shuffle, QUERY_ROWS, shuffle->scale, 1) && query_new_sums(shuffle, shuffle->scale, 1) &&
           query_scan(shuffle, 1, &table_items, shipped_after, table_item_order);
}

/* By date, then by number. */
static bool first(hw_ref order, hw_ref other) {
    uint32_t date = FIELD_AT(order, uint32_t, OrderRow_date), others = FIELD_AT(other, uint32_t, OrderRow_date);

    if (date != others) return date < others;
    return FIELD_AT(order, uint32_t, OrderRow_order) < FIELD_AT(other, uint32_t, OrderRow_order);
}

static void emit(struct shuffle *shuffle, uint32_t place, hw_handle order, uint64_t revenue) {
    char key[2 * QUERY_TEXT_MAX];

    snprintf(key, sizeof key, "%lu/%lu/%lu/%lu", (unsigned long)place,
             (unsigned long)FIELD(order, uint32_t, OrderRow_order),
             (unsigned long)FIELD(order, uint32_t, OrderRow_date),
             (unsigned long)FIELD(order, uint32_t, OrderRow_shipPriority));
    shuffle_emit(shuffle, key, revenue);
}

static const struct query_results results = {HW_CLASS_OrderRevenue, HW_CLASS_OrderRevenue_revenue,
                                             HW_CLASS_OrderRevenue_order, first, emit};

static const struct query_phase phases[] = {
    {prepare_customers, {{&shape_order, take_customers_order}, {&shape_customer, query_keep_customer}}},
    {prepare_items, {{&shape_order, query_keep_order}, {&shape_line_item, query_add_revenue}}},
    {query_put_results, {{&shape_order_revenue, query_take_result}}},
};

const struct query query_c = QUERY(PROGRAM_QUERY_C, query_emit_results, &results);
