#include "programs/shuffle/graph.h"
#include "programs/shuffle/queries/columns.h"

#define SHIPPED_WITHIN 121u /* days from an order on */
#define RECEIVED_WITHIN 30u /* days from shipping on */

const char *const table_regions[TABLE_REGIONS] = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
const char *const table_segments[3] = {"AUTOMOBILE", "BUILDING", "MACHINERY"};

uint32_t table_random(uint32_t row, enum table_random column) { return shuffle_random(row, column); }

uint32_t table_order_count(uint32_t scale) { return scale; }
uint32_t table_customer_count(uint32_t scale) { return scale / 4 + 1; }
uint32_t table_part_count(uint32_t scale) { return scale / 4 + 1; }
uint32_t table_supplier_count(uint32_t scale) { return scale / 16 + TABLE_PART_SUPPLIERS; }
uint32_t table_region_of(uint32_t nation) { return nation % TABLE_REGIONS; }

uint32_t table_own_key(uint32_t scale, uint32_t row) {
    (void)scale;
    return row;
}

uint32_t table_order_customer(uint32_t scale, uint32_t row) {
    return table_random(row, ORDER_CUSTOMER) % table_customer_count(scale);
}

/* The items of the last orders are shipped and received before TABLE_DAYS. */
uint32_t table_order_date(uint32_t scale, uint32_t row) {
    (void)scale;
    return table_random(row, ORDER_DATE) % (TABLE_DAYS - SHIPPED_WITHIN - RECEIVED_WITHIN);
}

uint32_t table_item_order(uint32_t scale, uint32_t row) {
    (void)scale;
    return row / TABLE_ORDER_LINES;
}

uint32_t table_item_shipped(uint32_t scale, uint32_t row) {
    return table_order_date(scale, table_item_order(scale, row)) + 1 + table_random(row, ITEM_SHIPPED) % SHIPPED_WITHIN;
}

uint32_t table_item_committed(uint32_t scale, uint32_t row) {
    return table_order_date(scale, table_item_order(scale, row)) + 30 + table_random(row, ITEM_COMMITTED) % 61;
}

uint32_t table_item_received(uint32_t scale, uint32_t row) {
    return table_item_shipped(scale, row) + 1 + table_random(row, ITEM_RECEIVED) % RECEIVED_WITHIN;
}

char table_return_flag(uint32_t row) {
    if (table_item_received(0, row) > TABLE_TODAY) return 'N';
    return table_random(row, ITEM_RETURNED) % 2 ? 'R' : 'A';
}

char table_line_status(uint32_t row) { return table_item_shipped(0, row) > TABLE_TODAY ? 'O' : 'F'; }

uint32_t table_segment(uint32_t scale, uint32_t row) {
    (void)scale;
    return table_random(row, CUSTOMER_SEGMENT) % 3;
}

/* The suppliers of a part differ. */
uint32_t table_part_supplier(uint32_t scale, uint32_t row) {
    uint32_t suppliers = table_supplier_count(scale), part = row / TABLE_PART_SUPPLIERS;

    return (part + row % TABLE_PART_SUPPLIERS * (suppliers / TABLE_PART_SUPPLIERS)) % suppliers;
}
