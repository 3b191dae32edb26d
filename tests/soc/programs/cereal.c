/* Executes a script on Cereal's units and their driver (tests/common/script/script.h). */
#include "../../cereal/operations.c"

#include "platform/cycles.h"
#include "units/capability.h"

/* Answers the numbers of units, of their commands and busy cycles, of collections, and the time. */
static void counts(const uint32_t *words) {
    (void)words;
    for (uint32_t kind = HW_UNIT_CEREAL_SERIALIZER; kind <= HW_UNIT_CEREAL_DESERIALIZER; kind++) {
        script_put_word(hw_unit_count(kind));
        script_put_word(hw_unit_counter(kind, HW_COUNTER_COMMANDS));
        script_put_word(hw_unit_counter(kind, HW_COUNTER_BUSY_CYCLES));
    }
    script_put_word(hw_heap_statistics.young_collections);
    script_put_word(hw_heap_statistics.full_collections);
    script_put_word(cycles_now());
}

const struct script_operation script_operations[] = {CEREAL_OPERATIONS, {"counts", counts}, {0}};

int main(void) {
    hw_capability_discover();
    limits((const uint32_t[]){HW_FIXED_BYTES / 4, HW_FIXED_BYTES / 4});
    script_run();
    test_walk();
    hw_collect(true);
    test_walk();
    return 0;
}
