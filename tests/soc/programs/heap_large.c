/* A message with a field that eden cannot hold: it is built in the large space, not moved by collections, and freed by
 * a full one. Without room there it ends in an exception, and the heap stays usable. Case 0 is the large message, case
 * 1 a small one. */
#include "heap.h"
#include "platform/finish.h"
#include "runtime/heap/space.h"
#include "runtime/regions.h"

static struct hw_heap_options options = {
    .base = HW_FIXED_BASE,
    .bytes = 1536u << 10,
    .eden_bytes = 64u << 10,
    .large_bytes = 1u << 20,
    .verify = hw_heap_verify,
};

static bool build(struct hw_protobuf *context, uint32_t index, hw_handle *message) {
    uint32_t length;
    const void *input = heap_case_input(index, &length);

    return hw_protobuf_read(context, heap_case_type(index), input, length, message);
}

int main(void) {
    struct hw_protobuf context;
    hw_handle large, small;

    heap_open();
    EXPECT(heap_case_count == 2);
    heap_start(&options, HW_ADOPT_BUFFER);
    hw_protobuf_open_heap(&context);
    hw_scope scope = hw_scope_open();

    EXPECT(build(&context, 0, &large) && build(&context, 1, &small));
    hw_ref at = large->reference;

    EXPECT(at >= hw_space.large.base && hw_in_young(small->reference));
    for (uint32_t round = 0; round < 3; round++) {
        hw_collect(round == 2);
        EXPECT(heap_is_case(small, 1) && large->reference == at);
    }
    EXPECT(heap_is_case(large, 0));
    uint32_t used = hw_large_used();

    hw_scope_close(scope);
    hw_collect(true);
    EXPECT(hw_large_used() == 0);
    for (uint32_t round = 0; round < 4; round++) { /* more than fit at a time */
        scope = hw_scope_open();
        EXPECT(build(&context, 0, &large));
        hw_scope_close(scope);
    }
    EXPECT(context.fallbacks == 0 && hw_error_clear() == HW_STATUS_OK);
    uint32_t full = hw_heap_statistics.full_collections - 2; /* without those that were asked for */

    options.large_bytes = 64u << 10;
    heap_start(&options, HW_ADOPT_BUFFER);
    scope = hw_scope_open();
    EXPECT(build(&context, 1, &small));
    EXPECT(!build(&context, 0, &large) && context.status == HW_STATUS_OUT_OF_MEMORY);
    EXPECT(hw_error_clear() == HW_STATUS_OUT_OF_MEMORY);
    EXPECT(hw_heap_statistics.full_collections == 0); /* none could help */
    heap_check_walk();
    hw_protobuf_clear(&context);
    EXPECT(heap_is_case(small, 1) && build(&context, 1, &small) && heap_is_case(small, 1));
    EXPECT(hw_large_used() == 0 && context.fallbacks == 0);
    printf("large_bytes %lu full %lu\n", (unsigned long)used, (unsigned long)full);
    return 0;
}
