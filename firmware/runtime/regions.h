/* The regions of the SoC's main memory, as fractions of its size (docs/reference/firmware_build.md). */
#ifndef HW_RUNTIME_REGIONS_H
#define HW_RUNTIME_REGIONS_H

#include <generated/mem.h>

#define HW_MEMORY_BASE ((uint32_t)MAIN_RAM_BASE)
#define HW_MEMORY_BYTES ((uint32_t)MAIN_RAM_SIZE)
#define HW_MEMORY_LIMIT (HW_MEMORY_BASE + HW_MEMORY_BYTES)

#define HW_LOAD_BASE (HW_MEMORY_BASE + HW_MEMORY_BYTES / 8)
#define HW_LOAD_BYTES (HW_MEMORY_BYTES / 8 * 3)
#define HW_FIXED_BASE (HW_MEMORY_BASE + HW_MEMORY_BYTES / 2)
#define HW_FIXED_BYTES (HW_MEMORY_BYTES / 4)
#define HW_FLEXIBLE_BASE (HW_FIXED_BASE + HW_FIXED_BYTES)
#define HW_FLEXIBLE_BYTES (HW_MEMORY_BYTES / 4)

#endif
