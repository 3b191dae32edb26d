/* Reads and writes one message and prints nothing. Its size is measured. */
#include "order.heapwire.h"
#include "programs/program.h"
#include "protobuf/protobuf.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

static uint8_t output[256];

int main(void) {
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 1u << 20};
    struct hw_protobuf context;
    struct hw_bytes bytes;
    hw_handle handle;

    hw_capability_discover();
    if (hw_schema_load(program_schema, program_schema_length) != HW_SCHEMA_OK || !hw_heap_init(&heap)) return 1;
    hw_protobuf_open_heap(&context);
    const struct hw_type *type = hw_schema_find("shop.Order");

    if (!hw_protobuf_read(&context, type, program_input, program_input_length, &handle)) return 2;
    shop_Order order = shop_Order_from(handle);

    shop_Order_set_count(order, shop_Order_get_count(order) + 1);
    return !hw_protobuf_write(&context, type, handle, output, sizeof(output), &bytes);
}
