/* Traps: interrupts of the external array, and errors.
 *
 * Line numbers are LiteX's (soc.h: *_INTERRUPT) and HW_INFO_INTERRUPT_LINE for
 * completed commands. An exception that nobody expects ends the program with
 * a line that says where and why. */
#ifndef HW_PLATFORM_TRAP_H
#define HW_PLATFORM_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#define INTERRUPT_LINES 32

typedef void (*interrupt_handler)(void);

/* Runs `handler` whenever `line` is up, which it must take down. NULL masks the line. */
void interrupt_attach(unsigned line, interrupt_handler handler);

/* While true, illegal instructions are skipped with their destination unchanged. */
extern volatile bool trap_skip_illegal;

/* True once if an instruction has been skipped since the last call. */
bool trap_skipped_illegal(void);

#endif
