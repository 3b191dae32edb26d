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
static bool put_order(struct shuffle *shuffle, uint32_t index, hw_handle order) {
    uint32_t place = shuffle_place(shuffle, FIELD(order, uint32_t, OrderRow_customer));

    (void)index;
    return !query_row(shuffle, QUERY_ROWS, place) ||
           query_put(shuffle, 0, FIELD(order, uint32_t, OrderRow_order), order);
}

static bool prepare_items(struct shuffle *shuffle) {
    return query_each_listed(shuffle, put_order) && query_new_list(shuffle) &&
           query_new_rows(shuffle, QUERY_ROWS, shuffle->scale, 1) && query_new_sums(shuffle, shuffle->scale, 1) &&
           query_scan(shuffle, 1, &table_items, shipped_after, table_item_order);
}

static bool put_revenue(struct shuffle *shuffle, hw_handle order, uint64_t amount) {
    return query_put_result(shuffle, HW_CLASS_OrderRevenue, HW_CLASS_OrderRevenue_revenue, amount,
                            HW_CLASS_OrderRevenue_order, order);
}

static bool prepare_order(struct shuffle *shuffle) {
    return query_each_sum(shuffle, put_revenue) && query_new_list(shuffle);
}

static bool take_revenue(struct shuffle *shuffle, hw_handle revenue) {
    return query_list_result(shuffle, revenue, HW_CLASS_OrderRevenue_order);
}

/* By falling revenue, then by date, then by number. */
static bool first(hw_ref one, hw_ref other) {
    uint64_t revenue = FIELD_AT(one, uint64_t, OrderRevenue_revenue),
             others = FIELD_AT(other, uint64_t, OrderRevenue_revenue);
    hw_ref order = FIELD_AT(one, hw_ref, OrderRevenue_order),
           others_order = FIELD_AT(other, hw_ref, OrderRevenue_order);
    uint32_t date = FIELD_AT(order, uint32_t, OrderRow_date),
             others_date = FIELD_AT(others_order, uint32_t, OrderRow_date);

    if (revenue != others) return revenue > others;
    if (date != others_date) return date < others_date;
    return FIELD_AT(order, uint32_t, OrderRow_order) < FIELD_AT(others_order, uint32_t, OrderRow_order);
}

/* The place in the order is part of a result. */
static bool emit(struct shuffle *shuffle, uint32_t place, hw_handle revenue) {
    hw_handle order = hw_get(revenue, HW_CLASS_OrderRevenue_order);
    char key[2 * QUERY_TEXT_MAX];

    snprintf(key, sizeof key, "%lu/%lu/%lu/%lu", (unsigned long)place,
             (unsigned long)FIELD(order, uint32_t, OrderRow_order),
             (unsigned long)FIELD(order, uint32_t, OrderRow_date),
             (unsigned long)FIELD(order, uint32_t, OrderRow_shipPriority));
    shuffle_emit(shuffle, key, FIELD(revenue, uint64_t, OrderRevenue_revenue));
    return true;
}

static bool finish(struct shuffle *shuffle) {
    query_sort(shuffle, first);
    return query_each_listed(shuffle, emit);
}

static const struct query_phase phases[] = {
    {prepare_customers,
     {{&shape_order, HW_CLASS_OrderRow_array, take_customers_order},
      {&shape_customer, HW_CLASS_CustomerRow_array, query_keep_customer}}},
    {prepare_items,
     {{&shape_order, HW_CLASS_OrderRow_array, query_keep_order},
      {&shape_line_item, HW_CLASS_LineItemRow_array, query_add_revenue}}},
    {prepare_order, {{&shape_order_revenue, HW_CLASS_OrderRevenue_array, take_revenue}}},
};

const struct query query_c = {QUERY_PROGRAM(PROGRAM_QUERY_C, finish), phases, sizeof phases / sizeof *phases};
