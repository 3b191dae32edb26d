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

/* By number. */
static bool first(hw_ref customer, hw_ref other) {
    return FIELD_AT(customer, uint32_t, CustomerRow_customer) < FIELD_AT(other, uint32_t, CustomerRow_customer);
}

static void emit(struct shuffle *shuffle, uint32_t place, hw_handle customer, uint64_t revenue) {
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
    shuffle_emit(shuffle, key, revenue);
}

static const struct query_results results = {HW_CLASS_CustomerRevenue, HW_CLASS_CustomerRevenue_revenue,
                                             HW_CLASS_CustomerRevenue_customer, first, emit};

static const struct query_phase phases[] = {
    {prepare_orders, {{&shape_order, query_keep_order}, {&shape_line_item, query_add_revenue}}},
    {prepare_customers, {{&shape_keyed_sum, take_sum}, {&shape_customer, query_keep_customer}}},
    {query_put_results, {{&shape_customer_revenue, query_take_result}}},
};

const struct query query_e = QUERY(PROGRAM_QUERY_E, query_emit_results, &results);
