/* What hardware there is, found out once. */
#ifndef HW_UNITS_CAPABILITY_H
#define HW_UNITS_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "heapwire.h"
#include "units/command.h"

/* Reads the capability word, and bears a core without the instructions. Call
 * once, before any driver; without it software does everything. */
void hw_capability_discover(void);

/* The capability word, 0 without a front end of this interface version. */
extern uint32_t hw_capability;

static inline bool hw_front_end_present(void)
{
    return hw_capability != 0;
}

/* Number of units of kind HW_UNIT_*. */
static inline uint32_t hw_unit_count(uint32_t kind)
{
    return hw_capability >> (HW_INFO_CAPABILITY_UNITS_BIT + HW_INFO_CAPABILITY_UNITS_WIDTH * kind) &
           ((1u << HW_INFO_CAPABILITY_UNITS_WIDTH) - 1);
}

/* Whether there is a unit for an operation; `capable` is its HW_CAPABLE_*. */
static inline bool hw_unit_for(uint32_t capable)
{
    return (hw_capability & capable) != 0;
}

/* The kind of unit that carries the operation out here; if none does, one that could. */
uint32_t hw_unit_kind(uint32_t capable);

/* Bytes that the shared cache has fetched from DRAM, and that it has sent there; modulo 2^32, 0 without counters. */
static inline uint32_t hw_dram_read_bytes(void)
{
    return hw_front_end_present() ? hw_command_info(HW_INFO_DRAM_READS) * (HW_CLUSTER_DATAWIDTH / 8) : 0;
}

static inline uint32_t hw_dram_written_bytes(void)
{
    return hw_front_end_present() ? hw_command_info(HW_INFO_DRAM_WRITES) * (HW_CLUSTER_DATAWIDTH / 8) : 0;
}

/* Counter HW_COUNTER_* of the units of this kind; 0 without a front end. */
uint32_t hw_unit_counter(uint32_t kind, uint32_t counter);

#endif
