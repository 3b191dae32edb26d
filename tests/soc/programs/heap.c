#include "heap.h"

#include "programs/measure/memory_map.h"
#include "runtime/message.h"
#include "runtime/heap/walk.h"
#include "runtime/registers.h"
#include "units/capability.h"

static const struct workload *workload;
static const struct hw_type *types[HEAP_CASES];
static const struct hw_klass *singleton_klass;

uint32_t heap_case_count;

void heap_open(void) {
    hw_capability_discover();
    workload = workload_open();
    EXPECT(workload && workload->count <= HEAP_CASES);
    heap_case_count = workload->count;
    for (uint32_t i = 0; i < workload->count; i++) {
        types[i] = hw_schema_find(workload_at(workload, workload->cases[i].type));
        EXPECT(types[i]);
    }
    singleton_klass = hw_klass_of(hw_pointer(hw_registers[HW_REG_UNKNOWN_FIELDS]));
}

uint32_t heap_parameter(uint32_t index) {
    return ((const uint32_t *)hw_pointer(HW_LOAD_BASE + HW_LOAD_BYTES / 2))[index];
}

void heap_start(const struct hw_heap_options *options, enum hw_adoption way) {
    hw_registers[HW_REG_UNKNOWN_FIELDS] = 0;
    EXPECT(hw_heap_init(options));
    hw_adopt_way(way);
    hw_registers[HW_REG_UNKNOWN_FIELDS] = hw_allocate(singleton_klass);
    hw_registers_publish();
}

const struct hw_type *heap_case_type(uint32_t index) { return types[index]; }

const void *heap_case_input(uint32_t index, uint32_t *length) {
    *length = workload->cases[index].length;
    return workload_at(workload, workload->cases[index].message);
}

bool heap_is_case(hw_handle message, uint32_t index) {
    const struct hw_type *type = types[index];
    const struct hw_object *object = hw_handle_object(message);
    uint32_t unknown = HW_GET(type, ADT_UNKNOWN_FIELDS_OFFSET);

    return object->klass == HW_GET(type, ADT_KLASS) &&
           (unknown == HW_ADT_NO_OFFSET ||
            *(const hw_ref *)((const char *)object + unknown) == hw_registers[HW_REG_UNKNOWN_FIELDS]) &&
           hw_digest(hw_handle_object(message), type) == workload->cases[index].digest;
}

uint32_t heap_draw(uint32_t *state, uint32_t bound) {
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % bound;
}

void heap_check_walk(void) {
    struct hw_walk walk;

    if (!hw_heap_walk(&walk))
        printf("%s: object %08lx, slot %08lx\n", walk.fault, (unsigned long)walk.object, (unsigned long)walk.slot);
    EXPECT(walk.fault == NULL);
}
