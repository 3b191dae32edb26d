/* What a program without collector and codec says where it needs them: an order without its required field is left to
 * the codec, and a heap that is full to the collector. */
#include <stdio.h>

#include "order.heapwire.h"
#include "programs/program.h"
#include "protobuf/protobuf.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

static const uint8_t good[] = {0x0a, 1, 'a', 0x10, 7}, cut_short[] = {0x0a, 1, 'a'};

int main(void) {
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 64u << 10};
    struct hw_protobuf context;
    hw_handle handle;
    unsigned done = 0;

    hw_capability_discover();
    if (hw_schema_load(program_schema, program_schema_length) != HW_SCHEMA_OK || !hw_heap_init(&heap)) return 1;
    hw_protobuf_open_heap(&context);
    const struct hw_type *type = hw_schema_find("shop.Order");

    if (!hw_protobuf_read(&context, type, good, sizeof good, &handle)) return 2;
    hw_protobuf_read(&context, type, cut_short, sizeof cut_short, &handle);
    printf("codec left out: %d\n", context.status == HW_STATUS_NO_CODEC);
    hw_protobuf_clear(&context);
    for (bool more = true; more && done < 10000; done += more) {
        hw_scope scope = hw_scope_open();

        more = hw_protobuf_read(&context, type, good, sizeof good, &handle);
        hw_scope_close(scope);
    }
    printf("collector left out: %d after %u messages\n",
           context.status == HW_STATUS_NO_COLLECTOR && hw_error_clear() == HW_STATUS_NO_COLLECTOR, done);
    return 0;
}
