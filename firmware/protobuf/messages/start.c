#include "protobuf/messages/start.h"

#include "runtime/regions.h"
#include "runtime/registers.h"
#include "runtime/schema.h"
#include "units/capability.h"

#define USUAL_BYTES (1u << 20)

/* Returns false with an error. */
static bool put_schema_in_force(void) {
    if (!&program_schema_length || program_schema_length == 0) {
        hw_well_known_init();
        hw_registers_publish();
        return true;
    }
    enum hw_schema_error error = hw_schema_add(program_schema, program_schema_length);

    if (error != HW_SCHEMA_OK) hw_error_raise_at(HW_STATUS_BAD_SCHEMA, error);
    return error == HW_SCHEMA_OK;
}

bool hw_start_heap(const struct hw_heap_options *heap) {
    hw_capability_discover();
    if (!hw_cluster_fits()) {
        hw_error_raise(HW_STATUS_OTHER_CLUSTER);
        return false;
    }
    if (!put_schema_in_force()) return false;
    if (hw_heap_init(heap)) return true;
    hw_error_raise(HW_STATUS_BAD_HEAP);
    return false;
}

bool hw_start(void) {
    return hw_start_heap(&(struct hw_heap_options){
        .base = HW_FIXED_BASE,
        .bytes = HW_FIXED_BYTES < USUAL_BYTES ? HW_FIXED_BYTES : USUAL_BYTES,
    });
}
