/* Suite `core`, group `accessors`: what a program's calls cost on a message, by Heapwire's accessors and by upb's. The
 * schema blob is what the host has loaded. */
#include <stdio.h>
#include <string.h>

#include "accessors.heapwire.h"
#include "programs/bench/accessors.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

char accessors_keys[ACCESSORS_KEYS][8];

void accessors_report(const char *name, const char *engine, struct timing timing, bool ok) {
    row_print(&(struct row){
        .suite = "core",
        .name = name,
        .operation = "access",
        .engine = engine,
        .model = "managed",
        .cycles = timing.cycles,
        .cold_cycles = timing.cold_cycles,
        .instructions = timing.instructions,
        .ok = ok,
    });
}

/* Some 120 bytes on the wire. */
static void fill(accessors_Order order) {
    accessors_Order_clear_items(order);
    accessors_Order_clear_counts(order);
    accessors_Order_clear_tags(order);
    accessors_Order_set_number(order, 7);
    accessors_Order_set_note(order, "fifteen letters", 15);
    accessors_Order_set_flag(order, true);
    accessors_Order_set_price(order, 1.5);
    for (int32_t i = 0; i < 3; i++) {
        accessors_Item item = i == 0 ? accessors_Order_mutable_item(order) : accessors_Order_add_items(order);

        accessors_Item_set_a(item, i);
        accessors_Item_set_name(item, "name", 4);
        accessors_Order_put_counts(order, i * 7, 1000 + i);
    }
    for (int i = 0; i < 2; i++) accessors_Order_put_tags(order, accessors_keys[i], 5, "value", 5);
}

static void measure(accessors_Order order, accessors_Order other) {
    int32_t sum = 0;
    bool ok = true;

#define CALLS(name, count, before, call)                 \
    do {                                                 \
        struct timing timing;                            \
        hw_scope scope = hw_scope_open();                \
        ACCESSORS_TIME(&timing, count, before, call);    \
        hw_scope_close(scope);                           \
        accessors_report(name, "accessors", timing, ok); \
    } while (0)
    CALLS("set_scalar", 8, , ok &= accessors_Order_set_number(order, (int32_t)i_));
    CALLS("get_scalar", 8, , sum += accessors_Order_get_number(order));
    CALLS("set_string_15", 8, , ok &= accessors_Order_set_note(order, "fifteen letters", 15));
    CALLS("mutable_absent_48", 1, accessors_Order_clear_item(order),
          ok &= accessors_Order_mutable_item(order).handle != NULL);
    CALLS("get_message", 8, , ok &= accessors_Order_get_item(order).handle != NULL);
    CALLS("add_message", 8, accessors_Order_clear_items(order), ok &= accessors_Order_add_items(order).handle != NULL);
    CALLS("put_int_new/8", 8, accessors_Order_clear_counts(order),
          ok &= accessors_Order_put_counts(order, (int32_t)i_ * 7, 1));
    CALLS("get_int/8", 8, , ok &= accessors_Order_lookup_counts(order, (int32_t)i_ * 7) == 1);
    CALLS("put_string_new/8", 8, accessors_Order_clear_tags(order),
          ok &= accessors_Order_put_tags(order, accessors_keys[i_], 5, "value", 5));
    CALLS("get_string/8", 8, , ok &= accessors_Order_lookup_tags(order, accessors_keys[i_], 5).length == 5);
    CALLS("put_int_new/64", 64, accessors_Order_clear_counts(order),
          ok &= accessors_Order_put_counts(order, (int32_t)i_ * 7, 1));
    CALLS("get_int/64", 64, , ok &= accessors_Order_lookup_counts(order, (int32_t)i_ * 7) == 1);
    fill(order), fill(other);
    CALLS("equals_120", 1, , ok &= accessors_Order_equals(order, other));
    CALLS("hash_120", 1, , sum += accessors_Order_hash_code(order));
    (void)sum;
}

int main(void) {
    /* Loading changes the blob, which the next layout finds as the host has loaded it. */
    static _Alignas(64) uint8_t blob[4096];
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 1u << 20};

    hw_capability_discover();
    memcpy(blob, hw_pointer(HW_LOAD_BASE), sizeof blob);
    if (hw_schema_load(blob, sizeof blob) != HW_SCHEMA_OK || !hw_heap_init(&heap)) return 1;
    for (int i = 0; i < ACCESSORS_KEYS; i++) snprintf(accessors_keys[i], sizeof accessors_keys[i], "key-%d", i);
    accessors_Order order = accessors_Order_new(), other = accessors_Order_new();

    measure(order, other);
    accessors_upb();
    return hw_exception_take() != HW_NO_EXCEPTION ? 1 : bench_exit_code();
}
