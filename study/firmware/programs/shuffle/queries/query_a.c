/* Query QA: prices of the items that were shipped within the last 120 days, by return flag and line status. All rows
 * that are wanted cross, since nothing is summed up before. */
#include <stdio.h>

#include "programs/shuffle/queries/query.h"
#include "runtime/java/string.h"

#define LAST_DAYS 120u

static const char flags[] = "ANR", statuses[] = "FO";

enum { FLAGS = sizeof flags - 1, STATUSES = sizeof statuses - 1, GROUPS = FLAGS * STATUSES };
enum { QUANTITY, BASE_PRICE, REVENUE, CHARGE, COUNT, SUMS }; /* the sums of a group */

static const char *const sum_names[SUMS] = {"quantity", "price", "revenue", "charge", "count"};

/* The hash of a group, whose owner sums it up. */
static uint32_t group_hash(char flag, char status) { return 31u * (uint32_t)flag + (uint32_t)status; }

static uint32_t key(uint32_t scale, uint32_t row) {
    (void)scale;
    return group_hash(table_return_flag(row), table_line_status(row));
}

static bool wanted(uint32_t scale, uint32_t row) {
    uint32_t shipped = table_item_shipped(scale, row);

    return shipped <= TABLE_TODAY && shipped + LAST_DAYS > TABLE_TODAY;
}

/* Every worker has room for all groups. */
static bool prepare(struct shuffle *shuffle) {
    return query_new_sums(shuffle, shuffle->workers, GROUPS * SUMS) &&
           query_scan(shuffle, 0, &table_items, wanted, key);
}

/* Returns the place of a string of one character among others; their number if it is not there. */
static uint32_t place_of(hw_handle item, uint32_t offset, const char *all, uint32_t count) {
    hw_handle text = hw_get(item, offset);
    uint32_t place = 0;

    if (!text || hw_string_length(text) != 1) return count;
    while (place < count && hw_string_char_at(text, 0) != (uint8_t)all[place]) place++;
    return place;
}

static bool take(struct shuffle *shuffle, hw_handle item) {
    uint32_t flag = place_of(item, HW_CLASS_LineItemRow_returnFlag, flags, FLAGS);
    uint32_t status = place_of(item, HW_CLASS_LineItemRow_lineStatus, statuses, STATUSES);

    if (flag == FLAGS || status == STATUSES ||
        group_hash(flags[flag], statuses[status]) % shuffle->workers != shuffle->worker)
        return false;
    uint64_t *sums = query_sums(shuffle) + (flag * STATUSES + status) * SUMS, revenue = query_revenue(item);

    sums[QUANTITY] += FIELD(item, uint32_t, LineItemRow_quantity);
    sums[BASE_PRICE] += FIELD(item, uint64_t, LineItemRow_price);
    sums[REVENUE] += revenue;
    sums[CHARGE] += revenue * (100 + FIELD(item, uint32_t, LineItemRow_tax));
    sums[COUNT]++;
    return true;
}

static bool finish(struct shuffle *shuffle) {
    for (uint32_t group = 0; group < GROUPS; group++)
        for (uint32_t sum = 0; sum < SUMS; sum++) {
            char name[QUERY_TEXT_MAX];

            if (query_sums(shuffle)[group * SUMS + COUNT] == 0) continue;
            snprintf(name, sizeof name, "%c/%c/%s", flags[group / STATUSES], statuses[group % STATUSES],
                     sum_names[sum]);
            shuffle_emit(shuffle, name, query_sums(shuffle)[group * SUMS + sum]);
        }
    return true;
}

static const struct query_phase phases[] = {
    {prepare, {{&shape_line_item, take}}},
};

const struct query query_a = QUERY(PROGRAM_QUERY_A, finish, NULL);
