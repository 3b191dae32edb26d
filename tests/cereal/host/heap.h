/* For one source of a host program: its heap, and the registration of graphs' classes with Cereal. */
#ifndef TEST_CEREAL_HEAP_H
#define TEST_CEREAL_HEAP_H

#include "../../common/expect.h"
#include "../../common/script/graph.h"
#include "cereal/cereal.h"
#include "runtime/heap/heap.h"

static void test_heap(void) {
    struct hw_heap_options options = {
        .base = TEST_HEAP_BASE,
        .bytes = 4u << 20,
        .large_bytes = 1u << 20,
        .eden_bytes = 512u << 10,
        .poison = true,
        .verify = hw_heap_verify,
    };

    EXPECT(hw_heap_init(&options));
    hw_adopt_way(HW_ADOPT_BUFFER);
}

int32_t test_register_class(struct hw_klass *klass) { return hw_cereal_register_class(klass); }

#endif
