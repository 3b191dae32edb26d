/* Traps: interrupts of the external interrupt array, and errors.
 *
 * Line numbers are LiteX's (soc.h: *_INTERRUPT) and, for completed commands, HW_INFO_INTERRUPT_LINE. An unexpected
 * exception ends the program with a line that says where and why. */
#ifndef HW_PLATFORM_TRAP_H
#define HW_PLATFORM_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#define INTERRUPT_LINES 32

typedef void (*interrupt_handler)(void);

/* Runs `handler` whenever `line` is active. The handler must clear its cause. NULL masks the line. */
void hw_interrupt_attach(unsigned line, interrupt_handler handler);

/* While true, illegal instructions are skipped, and their destination register does not change. */
extern volatile bool hw_trap_skip_illegal;

/* Returns whether an instruction has been skipped since the last call. */
bool hw_trap_skipped_illegal(void);

#endif
