/* Finds out, once, which units the hardware has. */
#ifndef HW_UNITS_CAPABILITY_H
#define HW_UNITS_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include "heapwire.h"
#include "units/command.h"

/* Reads the capability word; a core without the instructions is no error. Call it once, before any driver. Without the
 * call software does everything, except that hw_pb_decode and hw_pb_encode make the call themselves. */
void hw_capability_discover(void);

/* What the front end says of itself, whatever its version; zeros without one. */
extern struct hw_cluster_words {
    uint32_t capability, sizes;
} hw_cluster;

/* Returns whether the program was built for a cluster like the one that it runs on. True without a cluster. */
bool hw_cluster_fits(void);

/* Writes which cluster the program was built for, and which one it runs on: hardware does not know the name of its
 * configuration, so its own words describe it. */
void hw_cluster_names(char *text, uint32_t size);

/* The capability word; 0 without a front end of this interface version. */
extern uint32_t hw_capability;

static inline bool hw_front_end_present(void) { return hw_capability != 0; }

/* Returns the number of units of kind HW_UNIT_*. */
static inline uint32_t hw_unit_count(uint32_t kind) {
    return hw_capability >> (HW_INFO_CAPABILITY_UNITS_BIT + HW_INFO_CAPABILITY_UNITS_WIDTH * kind) &
           ((1u << HW_INFO_CAPABILITY_UNITS_WIDTH) - 1);
}

/* Returns whether there is a unit for an operation; `capable` is the operation's HW_CAPABLE_* bit. */
static inline bool hw_unit_for(uint32_t capable) { return (hw_capability & capable) != 0; }

/* Returns the kind of unit that executes the operation here; if there is none, a kind that could. */
uint32_t hw_unit_kind(uint32_t capable);

/* Returns the bytes that the shared cache has read from DRAM (HW_INFO_DRAM_READS), or written there
 * (HW_INFO_DRAM_WRITES), modulo 2^32; 0 without counters. */
static inline uint32_t hw_dram_bytes(uint32_t word) {
    return hw_front_end_present() ? hw_command_info(word) * (HW_CLUSTER_DATAWIDTH / 8) : 0;
}

/* Returns counter HW_COUNTER_* of the units of this kind; 0 without a front end. */
uint32_t hw_unit_counter(uint32_t kind, uint32_t counter);

#endif
