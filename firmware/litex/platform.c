/* What the drivers want of the platform where LiteX's software is it: the type of the CPU says that the instructions are there. */
#include "platform/trap.h"

volatile bool trap_skip_illegal;

bool trap_skipped_illegal(void)
{
    return false;
}
