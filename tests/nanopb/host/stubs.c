/* What the driver needs of the runtime. */
#include "runtime/critical.h"

volatile uint32_t hw_critical_depth;
