/* Where the values of the tables come from: pseudorandom numbers by row and column (shuffle_random). */
#ifndef HW_PROGRAMS_SHUFFLE_QUERIES_COLUMNS_H
#define HW_PROGRAMS_SHUFFLE_QUERIES_COLUMNS_H

#include "programs/shuffle/queries/tables.h"

enum table_random {
    ORDER_LINES = 32,
    ORDER_CUSTOMER,
    ORDER_DATE,
    ORDER_PRIORITY,
    ITEM_QUANTITY,
    ITEM_PRICE,
    ITEM_DISCOUNT,
    ITEM_TAX,
    ITEM_SHIPPED,
    ITEM_COMMITTED,
    ITEM_RECEIVED,
    ITEM_RETURNED,
    CUSTOMER_STREET,
    CUSTOMER_NATION,
    CUSTOMER_PHONE,
    CUSTOMER_BALANCE,
    CUSTOMER_SEGMENT,
    PART_MANUFACTURER,
    SUPPLIER_NATION,
    SUPPLIER_PHONE,
    SUPPLIER_BALANCE,
    PART_SUPPLIER_COST,
};

uint32_t table_random(uint32_t row, enum table_random column);

#endif
