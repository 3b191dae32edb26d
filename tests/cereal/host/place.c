/* Where the heap lies on the host. */
#include <stdio.h>
#include <stdlib.h>

#include "generated/mem.h"
#include "graph.h"
#include "runtime/heap/adopt.h"
#include "runtime/heap/heap.h"

#define HEAP_BASE (MAIN_RAM_BASE + 4096u)

void test_heap(bool stress, bool array, bool large) {
    struct hw_heap_options options = {
        .base = HEAP_BASE,
        .bytes = large ? 60u << 20 : 4u << 20,
        .large_bytes = large ? 20u << 20 : 1u << 20,
        .eden_bytes = large ? 6u << 20 : 512u << 10,
        .region_bytes = 16384,
        .stress = stress,
        .poison = true,
        .verify = !large,
    };

    if (!hw_heap_init(&options)) {
        printf("no heap\n");
        exit(3);
    }
    hw_adopt_way(array ? HW_ADOPT_ARRAY : HW_ADOPT_BUFFER);
}
