/* What the drivers need of the platform where LiteX's software provides it. The type of the CPU implies that it has the
 * instructions. */
#include "platform/trap.h"

volatile bool hw_trap_skip_illegal;

bool hw_trap_skipped_illegal(void) { return false; }
