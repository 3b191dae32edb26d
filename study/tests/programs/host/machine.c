#include "machine.h"

#include <stdlib.h>

#include "generated/mem.h"
#include "memory.h"
#include "programs/serializers/serializers.h"
#include "runtime/heap/heap.h"
#include "runtime/java/class.h"
#include "skyway/registry/registry.h"

#define WORK (8u << 20)

bool machine_begin(bool stress) {
    const struct hw_heap_options options = {.base = MAIN_RAM_BASE + 4096u,
                                            .bytes = 8u << 20,
                                            .large_bytes = 3u << 20,
                                            .eden_bytes = 256u << 10,
                                            .stress = stress,
                                            .poison = true,
                                            .verify = hw_heap_verify};

    memory_map();
    hw_classes_init();
    if (!hw_heap_init(&options) || !hw_enums_init() || !serializers_open(machine_memory(WORK), WORK)) return false;
    /* All workers load the same classes in the same order. */
    hw_skyway_drive(7, &hw_skyway_java_loader);
    return hw_skyway_load_java_classes() == HW_STATUS_OK;
}

void *machine_memory(uint32_t bytes) {
    static uint32_t at = (uint32_t)MAIN_RAM_BASE + (16u << 20);

    at += bytes;
    if (at > (uint32_t)MAIN_RAM_BASE + MAIN_RAM_SIZE) exit(2);
    return hw_pointer(at - bytes);
}
