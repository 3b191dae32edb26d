/* Clusters by name. */
#include <stdio.h>

#include "units/capability.h"

void hw_cluster_names(char *text, uint32_t size) {
    uint32_t word = hw_cluster.capability, sizes = hw_cluster.sizes;
    char units[HW_UNIT_KINDS + 1] = "";

    for (uint32_t i = 0; i < HW_UNIT_KINDS; i++)
        units[i] = "0123456789abcdef"[word >> (HW_INFO_CAPABILITY_UNITS_BIT + HW_INFO_CAPABILITY_UNITS_WIDTH * i) &
                                      ((1u << HW_INFO_CAPABILITY_UNITS_WIDTH) - 1)];
    snprintf(text, size, " (built for %s-%u, interface %u; this one has %u bits, interface %lu, %lu tags, units %s)",
             HW_CLUSTER_CONFIG, HW_CLUSTER_DATAWIDTH, HW_INFO_VERSION, 8u << (sizes >> 16 & 0xff),
             (unsigned long)(word & ((1u << HW_INFO_CAPABILITY_UNITS_BIT) - 1)), (unsigned long)(sizes & 0xff), units);
}
