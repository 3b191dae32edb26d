#include "programs/measure/counts.h"

#include "units/capability.h"

struct counts counts_now(uint32_t unit) {
#define OF_UNIT(name, number) .name = hw_unit_counter(unit, number),
#define OF_DRAM(name, word) .name = hw_dram_bytes(word),
    return (struct counts){HW_BYTE_COUNTERS(OF_UNIT) HW_CYCLE_COUNTERS(OF_UNIT) DRAM_COUNTERS(OF_DRAM)};
}

struct counts counts_since(uint32_t unit, const struct counts *before) {
    struct counts now = counts_now(unit);

#define SINCE(name, number) .name = now.name - before->name,
    return (struct counts){COUNTS(SINCE)};
}

struct counts counts_each(struct counts counts, uint32_t runs) {
#define EACH(name, number) .name = counts.name / runs,
    return (struct counts){COUNTS(EACH)};
}
