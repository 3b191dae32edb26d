/* The end of a program. */
#ifndef HW_PLATFORM_FINISH_H
#define HW_PLATFORM_FINISH_H

#include <stdbool.h>

#define EXIT_TRAP 113 /* an exception that nobody expected */

/* Ends the program: the next layout of the same program runs, if one is loaded (docs/firmware_build.md),
 * else the simulation ends with the worst exit code of all; a board stays here. */
__attribute__((noreturn)) void finish(int code);

/* Whether `finish` can end the machine, as a simulated one. */
bool finish_supported(void);

/* Ends the simulation at once. */
__attribute__((noreturn)) void finish_now(int code);

#endif
