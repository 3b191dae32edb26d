#include "units/capability.h"

#ifdef __riscv
#include "platform/trap.h"
#endif

#define VERSION_MASK ((1u << HW_INFO_CAPABILITY_UNITS_BIT) - 1)

uint32_t hw_capability;

struct hw_cluster_words hw_cluster;

void hw_capability_discover(void) {
    uint32_t word;

#ifdef __riscv
    hw_trap_skip_illegal = true;
#endif
    word = hw_command_info(HW_INFO_CAPABILITY);
#ifdef __riscv
    if (hw_trap_skipped_illegal()) word = 0;
    hw_trap_skip_illegal = false;
#endif
    hw_cluster.capability = word;
    hw_cluster.sizes = word != 0 ? hw_command_info(HW_INFO_SIZES) : 0;
    hw_capability = (word & VERSION_MASK) == HW_INFO_VERSION ? word : 0;
}

/* The word of sizes of the cluster for which the program was built. */
#define SIZES                                                                                                 \
    (HW_CLUSTER_TAGS | HW_CLUSTER_QUEUEDEPTH << 8 | (uint32_t)__builtin_ctz(HW_CLUSTER_DATAWIDTH / 8) << 16 | \
     (uint32_t)__builtin_ctz(HW_CLUSTER_UNITCLOCKDIVIDER) << 24)

bool hw_cluster_fits(void) {
    if (hw_cluster.capability == 0) return true;
    return (hw_cluster.capability & VERSION_MASK) == HW_INFO_VERSION && hw_cluster.sizes == SIZES;
}

uint32_t hw_unit_kind(uint32_t capable) {
    uint32_t units = hw_unit_for(capable) ? hw_capability & capable : capable, kind = 0;

    units >>= HW_INFO_CAPABILITY_UNITS_BIT;
    while (!(units >> HW_INFO_CAPABILITY_UNITS_WIDTH * kind & ((1u << HW_INFO_CAPABILITY_UNITS_WIDTH) - 1))) kind++;
    return kind;
}

uint32_t hw_unit_counter(uint32_t kind, uint32_t counter) {
    if (!hw_front_end_present()) return 0;
    return hw_command_info(HW_INFO_COUNTER_BASE + kind * HW_INFO_COUNTER_STRIDE + counter);
}
