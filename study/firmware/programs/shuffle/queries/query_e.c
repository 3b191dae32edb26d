/* Query QE: the customers that returned items, by falling lost revenue. LINEITEM meets ORDERS by order, the orders'
 * sums meet CUSTOMER by customer; worker 0 sorts. */
#include <stdio.h>

#include "programs/shuffle/queries/query.h"

static bool returned(uint32_t scale, uint32_t row) {
    (void)scale;
    return table_return_flag(row) == 'R';
}

static bool prepare_orders(struct shuffle *shuffle) {
    return query_new_rows(shuffle, QUERY_ROWS, shuffle->scale, 1) && query_new_sums(shuffle, shuffle->scale, 1) &&
           query_scan(shuffle, 0, &table_orders, NULL, table_own_key) &&
           query_scan(shuffle, 1, &table_items, returned, table_item_order);
}

static bool put_sum(struct shuffle *shuffle, hw_handle order, uint64_t sum) {
    return query_put_sum(shuffle, 0, FIELD(order, uint32_t, OrderRow_customer), sum);
}

static bool prepare_customers(struct shuffle *shuffle) {
    uint32_t customers = table_customer_count(shuffle->scale);

    return query_each_sum(shuffle, put_sum) && query_new_rows(shuffle, QUERY_ROWS, customers, 1) &&
           query_new_sums(shuffle, customers, 1) && query_scan(shuffle, 1, &table_customers, NULL, table_own_key);
}

static bool take_sum(struct shuffle *shuffle, hw_handle sum) {
    return query_add(shuffle, FIELD(sum, uint32_t, KeyedSum_key), table_customer_count(shuffle->scale),
                     FIELD(sum, uint64_t, KeyedSum_sum));
}

static bool put_revenue(struct shuffle *shuffle, hw_handle customer, uint64_t amount) {
    return query_put_result(shuffle, HW_CLASS_CustomerRevenue, HW_CLASS_CustomerRevenue_revenue, amount,
                            HW_CLASS_CustomerRevenue_customer, customer);
}

static bool prepare_order(struct shuffle *shuffle) {
    return query_each_sum(shuffle, put_revenue) && query_new_list(shuffle);
}

static bool take_revenue(struct shuffle *shuffle, hw_handle revenue) {
    return query_list_result(shuffle, revenue, HW_CLASS_CustomerRevenue_customer);
}

/* By falling revenue, then by number. */
static bool first(hw_ref one, hw_ref other) {
    uint64_t revenue = FIELD_AT(one, uint64_t, CustomerRevenue_revenue),
             others = FIELD_AT(other, uint64_t, CustomerRevenue_revenue);

    if (revenue != others) return revenue > others;
    return FIELD_AT(FIELD_AT(one, hw_ref, CustomerRevenue_customer), uint32_t, CustomerRow_customer) <
           FIELD_AT(FIELD_AT(other, hw_ref, CustomerRevenue_customer), uint32_t, CustomerRow_customer);
}

/* The place in the order is part of a result. */
static bool emit(struct shuffle *shuffle, uint32_t place, hw_handle revenue) {
    hw_handle customer = hw_get(revenue, HW_CLASS_CustomerRevenue_customer);
    char name[QUERY_TEXT_MAX], address[QUERY_TEXT_MAX], phone[QUERY_TEXT_MAX], segment[QUERY_TEXT_MAX];
    char key[6 * QUERY_TEXT_MAX];

    snprintf(key, sizeof key, "%lu/%lu/%s/%s/%lu/%s/%s/%ld", (unsigned long)place,
             (unsigned long)FIELD(customer, uint32_t, CustomerRow_customer),
             query_text(customer, HW_CLASS_CustomerRow_name, name),
             query_text(customer, HW_CLASS_CustomerRow_address, address),
             (unsigned long)FIELD(customer, uint32_t, CustomerRow_nation),
             query_text(customer, HW_CLASS_CustomerRow_phone, phone),
             query_text(customer, HW_CLASS_CustomerRow_segment, segment),
             (long)FIELD(customer, int64_t, CustomerRow_balance));
    shuffle_emit(shuffle, key, FIELD(revenue, uint64_t, CustomerRevenue_revenue));
    return true;
}

static bool finish(struct shuffle *shuffle) {
    query_sort(shuffle, first);
    return query_each_listed(shuffle, emit);
}

static const struct query_phase phases[] = {
    {prepare_orders,
     {{&shape_order, HW_CLASS_OrderRow_array, query_keep_order},
      {&shape_line_item, HW_CLASS_LineItemRow_array, query_add_revenue}}},
    {prepare_customers,
     {{&shape_keyed_sum, HW_CLASS_KeyedSum_array, take_sum},
      {&shape_customer, HW_CLASS_CustomerRow_array, query_keep_customer}}},
    {prepare_order, {{&shape_customer_revenue, HW_CLASS_CustomerRevenue_array, take_revenue}}},
};

const struct query query_e = {QUERY_PROGRAM(PROGRAM_QUERY_E, finish), phases, sizeof phases / sizeof *phases};
