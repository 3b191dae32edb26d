#include "programs/bench/heap.h"

#include <stdio.h>

#include "platform/finish.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "runtime/registers.h"
#include "units/capability.h"

void heap_row(struct row row) {
    row.suite = "heap";
    row.model = "managed";
    row_print(&row);
}

void heap_begin(struct hw_heap_options options) {
    options.base = HW_FIXED_BASE;
    if (!hw_heap_init(&options)) {
        printf("# the options of the heap do not fit together\n");
        hw_finish(2);
    }
}

bool heap_is(hw_handle object, const struct heap_message *message) {
    return hw_digest(hw_handle_object(object), message->type) == message->digest;
}

static int messages(void) {
    const struct workload *workload = workload_open();

    if (!workload) return 2;
    for (uint32_t i = 0; i < workload->count; i++) {
        const struct workload_case *item = &workload->cases[i];
        const struct heap_message message = {
            .name = workload_at(workload, item->name),
            .type = hw_schema_find(workload_at(workload, item->type)),
            .input = workload_at(workload, item->message),
            .length = item->length,
            .digest = item->digest,
        };

        if (!message.type) return 2;
        if (item->engines & WORKLOAD_WAIT) heap_wait(&message);
        if (item->engines & WORKLOAD_TRAFFIC) heap_traffic(&message);
        if (item->engines & WORKLOAD_HEAPS) heap_sizes(&message);
    }
    return bench_exit_code();
}

int main(void) {
    hw_capability_discover();
    if (*(const volatile uint32_t *)hw_pointer(HW_LOAD_BASE) != 0) return messages();
    hw_well_known_init();
    heap_own();
    return bench_exit_code();
}
