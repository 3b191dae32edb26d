#include "programs/shuffle/queries/tables.h"

#include <stdio.h>

#include "programs/shuffle/graph.h"

#define SHIPPED_WITHIN 121u /* days from an order on */
#define RECEIVED_WITHIN 30u /* days from shipping on */
#define TEXT_MAX 40u

const char *const table_regions[TABLE_REGIONS] = {"AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"};
const char *const table_segments[3] = {"AUTOMOBILE", "BUILDING", "MACHINERY"};

static uint32_t table_random(uint32_t row, enum table_random column) { return shuffle_random(row, column); }

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

/* Records of the rows. Strings are made anew for each row, as a reader of a file does. */

static bool set_named(hw_handle row, uint32_t offset, const char *name, uint32_t number) {
    char text[TEXT_MAX];

    snprintf(text, sizeof text, "%s#%lu", name, (unsigned long)number);
    return shuffle_set_text(row, offset, text);
}

static bool set_phone(hw_handle row, uint32_t offset, uint32_t nation, uint32_t random) {
    char text[TEXT_MAX];

    snprintf(text, sizeof text, "%lu-%03lu-%04lu", (unsigned long)nation + 10, (unsigned long)(random % 1000),
             (unsigned long)(random / 1000 % 10000));
    return shuffle_set_text(row, offset, text);
}

static bool set_flag(hw_handle row, uint32_t offset, char flag) {
    return shuffle_set_text(row, offset, (char[]){flag, 0});
}

/* Between -999.99 and 9,999.99 in the currency of the tables. */
static int64_t balance(uint32_t row, enum table_random column) {
    return (int64_t)(table_random(row, column) % 1099999) - 99999;
}

static uint32_t item_rows(uint32_t scale) { return scale * TABLE_ORDER_LINES; }

static bool has_item(uint32_t row) {
    return row % TABLE_ORDER_LINES <= table_random(row / TABLE_ORDER_LINES, ORDER_LINES) % (TABLE_ORDER_LINES - 1);
}

static bool make_item(uint32_t scale, uint32_t row, hw_handle item) {
    uint32_t quantity = 1 + table_random(row, ITEM_QUANTITY) % 50;

    FIELD(item, uint32_t, LineItemRow_order) = table_item_order(scale, row);
    FIELD(item, uint32_t, LineItemRow_quantity) = quantity;
    FIELD(item, uint64_t, LineItemRow_price) = (uint64_t)quantity * (90000 + table_random(row, ITEM_PRICE) % 100000);
    FIELD(item, uint32_t, LineItemRow_discount) = table_random(row, ITEM_DISCOUNT) % 11;
    FIELD(item, uint32_t, LineItemRow_tax) = table_random(row, ITEM_TAX) % 9;
    FIELD(item, uint32_t, LineItemRow_shipped) = table_item_shipped(scale, row);
    FIELD(item, uint32_t, LineItemRow_committed) = table_item_committed(scale, row);
    FIELD(item, uint32_t, LineItemRow_received) = table_item_received(scale, row);
    return set_flag(item, HW_CLASS_LineItemRow_returnFlag, table_return_flag(row)) &&
           set_flag(item, HW_CLASS_LineItemRow_lineStatus, table_line_status(row));
}

static bool make_order(uint32_t scale, uint32_t row, hw_handle order) {
    FIELD(order, uint32_t, OrderRow_order) = row;
    FIELD(order, uint32_t, OrderRow_customer) = table_order_customer(scale, row);
    FIELD(order, uint32_t, OrderRow_date) = table_order_date(scale, row);
    FIELD(order, uint32_t, OrderRow_shipPriority) = table_random(row, ORDER_PRIORITY) % 5;
    return true;
}

static bool make_customer(uint32_t scale, uint32_t row, hw_handle customer) {
    uint32_t nation = table_random(row, CUSTOMER_NATION) % TABLE_NATIONS, street = table_random(row, CUSTOMER_STREET);
    char address[TEXT_MAX];

    FIELD(customer, uint32_t, CustomerRow_customer) = row;
    FIELD(customer, uint32_t, CustomerRow_nation) = nation;
    FIELD(customer, int64_t, CustomerRow_balance) = balance(row, CUSTOMER_BALANCE);
    snprintf(address, sizeof address, "%lu Street %lu", (unsigned long)(street % 200 + 1),
             (unsigned long)(street / 200 % 900 + 100));
    return set_named(customer, HW_CLASS_CustomerRow_name, "Customer", row) &&
           shuffle_set_text(customer, HW_CLASS_CustomerRow_address, address) &&
           set_phone(customer, HW_CLASS_CustomerRow_phone, nation, table_random(row, CUSTOMER_PHONE)) &&
           shuffle_set_text(customer, HW_CLASS_CustomerRow_segment, table_segments[table_segment(scale, row)]);
}

static bool make_part(uint32_t scale, uint32_t row, hw_handle part) {
    (void)scale;
    FIELD(part, uint32_t, PartRow_part) = row;
    return set_named(part, HW_CLASS_PartRow_manufacturer, "Manufacturer", table_random(row, PART_MANUFACTURER) % 5 + 1);
}

static bool make_supplier(uint32_t scale, uint32_t row, hw_handle supplier) {
    uint32_t nation = table_random(row, SUPPLIER_NATION) % TABLE_NATIONS;

    (void)scale;
    FIELD(supplier, uint32_t, SupplierRow_supplier) = row;
    FIELD(supplier, uint32_t, SupplierRow_nation) = nation;
    FIELD(supplier, int64_t, SupplierRow_balance) = balance(row, SUPPLIER_BALANCE);
    return set_named(supplier, HW_CLASS_SupplierRow_name, "Supplier", row) &&
           set_phone(supplier, HW_CLASS_SupplierRow_phone, nation, table_random(row, SUPPLIER_PHONE));
}

static uint32_t part_supplier_rows(uint32_t scale) { return table_part_count(scale) * TABLE_PART_SUPPLIERS; }

static bool make_part_supplier(uint32_t scale, uint32_t row, hw_handle offer) {
    FIELD(offer, uint32_t, PartSuppRow_part) = row / TABLE_PART_SUPPLIERS;
    FIELD(offer, uint32_t, PartSuppRow_supplier) = table_part_supplier(scale, row);
    FIELD(offer, uint64_t, PartSuppRow_cost) = 100 + table_random(row, PART_SUPPLIER_COST) % 99901;
    return true;
}

const struct table table_items = {HW_CLASS_LineItemRow, item_rows, has_item, make_item};
const struct table table_orders = {HW_CLASS_OrderRow, table_order_count, NULL, make_order};
const struct table table_customers = {HW_CLASS_CustomerRow, table_customer_count, NULL, make_customer};
const struct table table_parts = {HW_CLASS_PartRow, table_part_count, NULL, make_part};
const struct table table_suppliers = {HW_CLASS_SupplierRow, table_supplier_count, NULL, make_supplier};
const struct table table_part_suppliers = {HW_CLASS_PartSuppRow, part_supplier_rows, NULL, make_part_supplier};
