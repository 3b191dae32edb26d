/* The end of a program. */
#ifndef HW_PLATFORM_FINISH_H
#define HW_PLATFORM_FINISH_H

#include <stdbool.h>

#define EXIT_TRAP 113 /* exit code of an unexpected exception */

/* Ends the program. If another layout of the same program is loaded (docs/reference/firmware_build.md), it runs next.
 * Otherwise the simulation ends with the worst exit code of all layouts; a board loops here. */
__attribute__((noreturn)) void hw_finish(int code);

/* Returns whether `hw_finish` can end the machine, as it can in a simulation. */
bool hw_finish_supported(void);

/* Ends the simulation at once. */
__attribute__((noreturn)) void hw_finish_now(int code);

#endif
