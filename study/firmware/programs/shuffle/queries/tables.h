/* Synthetic tables with the relations of TPC-H, reduced to the columns that the queries use. A column is a function of
 * the number of a row, so that any worker can make any row. The scale is the number of orders. Dates are days, from the
 * first day of the first year on; money is in cents, discount and tax in per cent. */
#ifndef HW_PROGRAMS_SHUFFLE_QUERIES_TABLES_H
#define HW_PROGRAMS_SHUFFLE_QUERIES_TABLES_H

#include "records/shuffle.h"
#include "runtime/thread.h"

#define TABLE_REGIONS 5u

/* A column: the value in a row. */
typedef uint32_t table_column(uint32_t scale, uint32_t row);

struct table {
    const struct hw_klass *klass; /* of a record */
    uint32_t (*rows)(uint32_t scale);
    /* Returns whether there is such a row. NULL: there is. */
    bool (*has)(uint32_t row);
    /* Fills a new record with the row. Returns false with an error. */
    bool (*make)(uint32_t scale, uint32_t row, hw_handle record);
};

extern const struct table table_items, table_orders, table_customers, table_parts, table_suppliers,
    table_part_suppliers;

/* Numbers of rows of these tables. */
uint32_t table_order_count(uint32_t scale);
uint32_t table_customer_count(uint32_t scale);
uint32_t table_part_count(uint32_t scale);
uint32_t table_supplier_count(uint32_t scale);

/* Columns. A row that is named by a key is the key. */
table_column table_own_key;
table_column table_item_order, table_item_shipped, table_item_committed, table_item_received;
table_column table_order_customer, table_order_date;
table_column table_part_supplier; /* of PARTSUPP */
table_column table_segment;       /* of CUSTOMER: index of a name */

/* Return characters: R (returned), A (accepted) or N (not received yet); F (fulfilled) or O (open). */
char table_return_flag(uint32_t row);
char table_line_status(uint32_t row);

/* Every worker knows the nations and regions. */
uint32_t table_region_of(uint32_t nation);
extern const char *const table_regions[TABLE_REGIONS];

#define TABLE_BUILDING 1u
extern const char *const table_segments[3];

#endif
