/* Query QB: for each part and each region, the supplier there that asks least. PARTSUPP meets SUPPLIER by supplier, the
 * offers meet PART by part. */
#include <stdio.h>

#include "programs/shuffle/queries/query.h"

static bool prepare_suppliers(struct shuffle *shuffle) {
    return query_new_list(shuffle) && query_new_rows(shuffle, QUERY_ROWS, table_supplier_count(shuffle->scale), 1) &&
           query_scan(shuffle, 0, &table_part_suppliers, NULL, table_part_supplier) &&
           query_scan(shuffle, 1, &table_suppliers, NULL, table_own_key);
}

static bool take_part_supplier(struct shuffle *shuffle, hw_handle row) {
    return query_owns(shuffle, FIELD(row, uint32_t, PartSuppRow_supplier), table_supplier_count(shuffle->scale)) &&
           query_list(shuffle, row);
}

static bool take_supplier(struct shuffle *shuffle, hw_handle supplier) {
    return FIELD(supplier, uint32_t, SupplierRow_nation) < TABLE_NATIONS &&
           query_keep(shuffle, FIELD(supplier, uint32_t, SupplierRow_supplier), table_supplier_count(shuffle->scale),
                      supplier);
}

/* The offers of a supplier share its row. */
static bool put_offer(struct shuffle *shuffle, hw_handle row) {
    uint32_t place = shuffle_place(shuffle, FIELD(row, uint32_t, PartSuppRow_supplier));
    hw_handle supplier = query_row(shuffle, QUERY_ROWS, place), offer = hw_new(HW_CLASS_PartOffer);

    if (!supplier || !offer) return false;
    FIELD(offer, uint32_t, PartOffer_part) = FIELD(row, uint32_t, PartSuppRow_part);
    FIELD(offer, uint64_t, PartOffer_cost) = FIELD(row, uint64_t, PartSuppRow_cost);
    hw_set(offer, HW_CLASS_PartOffer_supplier, supplier);
    return query_put(shuffle, 0, FIELD(offer, uint32_t, PartOffer_part), offer);
}

static bool prepare_parts(struct shuffle *shuffle) {
    uint32_t parts = table_part_count(shuffle->scale);

    return query_each_listed(shuffle, put_offer) && query_new_list(shuffle) &&
           query_new_rows(shuffle, QUERY_ROWS, parts, 1) && query_new_rows(shuffle, QUERY_BEST, parts, TABLE_REGIONS) &&
           query_scan(shuffle, 1, &table_parts, NULL, table_own_key);
}

/* Returns whether an offer is better than the best one so far: cheaper, or as cheap by a supplier of a lower number. */
static bool better(hw_handle offer, hw_handle supplier, hw_handle best) {
    uint64_t cost = FIELD(offer, uint64_t, PartOffer_cost), least = FIELD(best, uint64_t, PartOffer_cost);

    if (cost != least) return cost < least;
    return FIELD(supplier, uint32_t, SupplierRow_supplier) <
           FIELD(hw_get(best, HW_CLASS_PartOffer_supplier), uint32_t, SupplierRow_supplier);
}

static bool take_offer(struct shuffle *shuffle, hw_handle offer) {
    uint32_t part = FIELD(offer, uint32_t, PartOffer_part);
    hw_handle supplier = hw_get(offer, HW_CLASS_PartOffer_supplier);

    if (!query_owns(shuffle, part, table_part_count(shuffle->scale)) || !supplier ||
        FIELD(supplier, uint32_t, SupplierRow_nation) >= TABLE_NATIONS)
        return false;
    uint32_t place =
        shuffle_place(shuffle, part) * TABLE_REGIONS + table_region_of(FIELD(supplier, uint32_t, SupplierRow_nation));
    hw_handle best = query_row(shuffle, QUERY_BEST, place);

    if (!best || better(offer, supplier, best)) hw_set_element(shuffle_part(shuffle, QUERY_BEST), place, offer);
    return true;
}

static bool take_part(struct shuffle *shuffle, hw_handle part) {
    return query_keep(shuffle, FIELD(part, uint32_t, PartRow_part), table_part_count(shuffle->scale), part);
}

static void emit(struct shuffle *shuffle, hw_handle part, uint32_t region, hw_handle offer) {
    hw_handle supplier = hw_get(offer, HW_CLASS_PartOffer_supplier);
    char maker[QUERY_TEXT_MAX], name[QUERY_TEXT_MAX], phone[QUERY_TEXT_MAX], key[4 * QUERY_TEXT_MAX];

    snprintf(key, sizeof key, "%lu/%s/%s/%s/%s/%ld", (unsigned long)FIELD(part, uint32_t, PartRow_part),
             query_text(part, HW_CLASS_PartRow_manufacturer, maker), table_regions[region],
             query_text(supplier, HW_CLASS_SupplierRow_name, name),
             query_text(supplier, HW_CLASS_SupplierRow_phone, phone),
             (long)FIELD(supplier, int64_t, SupplierRow_balance));
    shuffle_emit(shuffle, key, FIELD(offer, uint64_t, PartOffer_cost));
}

static bool finish(struct shuffle *shuffle) {
    for (uint32_t i = 0, count = query_count(shuffle, QUERY_BEST); i < count; i++) {
        hw_scope scope = hw_scope_open();
        hw_handle best = query_row(shuffle, QUERY_BEST, i), part = query_row(shuffle, QUERY_ROWS, i / TABLE_REGIONS);

        if (best && part) emit(shuffle, part, i % TABLE_REGIONS, best);
        hw_scope_close(scope);
    }
    return true;
}

static const struct query_phase phases[] = {
    {prepare_suppliers, {{&shape_part_supplier, take_part_supplier}, {&shape_supplier, take_supplier}}},
    {prepare_parts, {{&shape_part_offer, take_offer}, {&shape_part, take_part}}},
};

const struct query query_b = QUERY(PROGRAM_QUERY_B, finish, NULL);
