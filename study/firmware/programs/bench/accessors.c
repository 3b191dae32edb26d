/* Suite `core`, group `accessors`: what a program's calls cost on a message, by Heapwire's accessors and by upb's. The
 * schema blob is what the host has loaded. */
#include <stdio.h>
#include <string.h>

#include "accessors.heapwire.h"
#include "programs/bench/accessors.h"
#include "protobuf/codec/codec.h"
#include "runtime/crc32.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

char accessors_keys[ACCESSORS_KEYS][8];

void accessors_report(const char *name, const char *engine, struct timing timing, uint32_t digest, bool ok) {
    row_print(&(struct row){
        .suite = "core",
        .name = name,
        .operation = "access",
        .engine = engine,
        .model = "managed",
        .cycles = timing.cycles,
        .cold_cycles = timing.cold_cycles,
        .instructions = timing.instructions,
        .digest = digest,
        .ok = ok,
    });
}

/* Some 120 bytes on the wire. */
static void fill(accessors_Order order) {
    accessors_Order_clear_items(order);
    accessors_Order_clear_counts(order);
    accessors_Order_clear_tags(order);
    accessors_Order_set_number(order, 7);
    accessors_Order_set_note(order, "fifteen letters");
    accessors_Order_set_flag(order, true);
    accessors_Order_set_price(order, 1.5);
    for (int32_t i = 0; i < 3; i++) {
        accessors_Item item = i == 0 ? accessors_Order_mutable_item(order) : accessors_Order_add_items(order);

        accessors_Item_set_a(item, i);
        accessors_Item_set_name(item, "name");
        accessors_Order_put_counts(order, i * 7, 1000 + i);
    }
    for (int i = 0; i < 2; i++) accessors_Order_put_tags(order, accessors_keys[i], "value");
}

static uint32_t digest_of(accessors_Order order) {
    static uint8_t output[2048];
    struct hw_protobuf_codec_bytes written =
        hw_protobuf_codec_write(hw_schema_find("accessors.Order"), hw_reference(hw_handle_object(order.handle)), 0,
                                output, sizeof output, 0, UINT32_MAX);

    return hw_crc32(0, written.start, written.length);
}

static void measure(accessors_Order order, accessors_Order other) {
    int32_t number = 0;
    accessors_Item item;
    struct hw_bytes text;
    bool ok = true;

    /* right: whether the last call's result is. */
#define CALLS(name, count, before, call, right)                            \
    do {                                                                   \
        struct timing timing;                                              \
        hw_scope scope = hw_scope_open();                                  \
        ACCESSORS_TIME(&timing, count, before, call);                      \
        ok &= (right);                                                     \
        hw_scope_close(scope);                                             \
        accessors_report(name, "accessors", timing, digest_of(order), ok); \
    } while (0)
    CALLS("set_scalar", 8, , ok &= accessors_Order_set_number(order, (int32_t)i_), true);
    CALLS("get_scalar", 8, , (number = accessors_Order_get_number(order), accessors_used((uint32_t)number)),
          number == 7);
    CALLS("set_string_15", 8, , ok &= accessors_Order_set_note(order, "fifteen letters"), true);
    CALLS("mutable_absent_48", 1, accessors_Order_clear_item(order),
          ok &= accessors_Order_mutable_item(order).handle != NULL, true);
    CALLS("get_message", 8, , (item = accessors_Order_get_item(order), accessors_used((uintptr_t)item.handle)),
          accessors_Item_set_a(item, 5));
    CALLS("add_message", 8, accessors_Order_clear_items(order), ok &= accessors_Order_add_items(order).handle != NULL,
          true);
    CALLS("put_int_new/8", 8, accessors_Order_clear_counts(order),
          ok &= accessors_Order_put_counts(order, (int32_t)i_ * 7, (int32_t)i_ + 1), true);
    CALLS("get_int/8", 8, ,
          (number = accessors_Order_lookup_counts(order, (int32_t)i_ * 7), accessors_used((uint32_t)number)),
          number == 8);
    CALLS("put_string_new/8", 8, accessors_Order_clear_tags(order),
          ok &= accessors_Order_putn_tags(order, accessors_keys[i_], 5, accessors_keys[i_], 5), true);
    CALLS("get_string/8", 8, ,
          (text = accessors_Order_lookupn_tags(order, accessors_keys[i_], 5), accessors_used((uintptr_t)text.data),
           accessors_used(text.length)),
          text.length == 5 && memcmp(text.data, "key-7", 5) == 0);
    CALLS("put_int_new/64", 64, accessors_Order_clear_counts(order),
          ok &= accessors_Order_put_counts(order, (int32_t)i_ * 7, (int32_t)i_ + 1), true);
    CALLS("get_int/64", 64, ,
          (number = accessors_Order_lookup_counts(order, (int32_t)i_ * 7), accessors_used((uint32_t)number)),
          number == 64);
    fill(order), fill(other);
    CALLS("equals_120", 1, , ok &= accessors_Order_equals(order, other), true);
    CALLS("hash_120", 1, , (number = accessors_Order_hash_code(order), accessors_used((uint32_t)number)),
          number == accessors_Order_hash_code(other) && accessors_Order_set_number(other, 8) &&
              number != accessors_Order_hash_code(other) && !accessors_Order_equals(order, other));
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
    return hw_error_clear() != HW_STATUS_OK ? 1 : bench_exit_code();
}
