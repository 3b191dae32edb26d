#include "platform/trap.h"

#include <stddef.h>
#include <stdio.h>

#include "platform/finish.h"

#define CAUSE_EXTERNAL_INTERRUPT 0x8000000bu
#define CAUSE_ILLEGAL_INSTRUCTION 2

/* CSRs of the external interrupt array: the mask of enabled lines; the enabled lines that are active. */
#define INTERRUPT_MASK "0xbc0"
#define INTERRUPT_PENDING "0xfc0"

volatile bool hw_trap_skip_illegal;

static volatile bool skipped;
static interrupt_handler handlers[INTERRUPT_LINES];

bool hw_trap_skipped_illegal(void) {
    bool answer = skipped;

    skipped = false;
    return answer;
}

void hw_interrupt_attach(unsigned line, interrupt_handler handler) {
    uint32_t bit = 1u << line;

    __asm__ volatile("csrc " INTERRUPT_MASK ", %0" ::"r"(bit));
    handlers[line] = handler;
    if (handler) __asm__ volatile("csrs " INTERRUPT_MASK ", %0" ::"r"(bit));
}

static void serve_interrupts(void) {
    uint32_t pending;

    __asm__ volatile("csrr %0, " INTERRUPT_PENDING : "=r"(pending));
    for (unsigned line = 0; pending; line++, pending >>= 1)
        if (pending & 1 && handlers[line]) handlers[line]();
}

/* Handles a trap; called by the trap entry. Returns the address at which to continue. */
uint32_t hw_trap_handle(uint32_t cause, uint32_t pc, uint32_t value, uint32_t ra);

uint32_t hw_trap_handle(uint32_t cause, uint32_t pc, uint32_t value, uint32_t ra) {
    if (cause == CAUSE_EXTERNAL_INTERRUPT) {
        serve_interrupts();
        return pc;
    }
    if (cause == CAUSE_ILLEGAL_INSTRUCTION && hw_trap_skip_illegal) {
        skipped = true;
        return pc + 4;
    }
    printf("# trap: mcause %08lx mepc %08lx mtval %08lx ra %08lx\n", (unsigned long)cause, (unsigned long)pc,
           (unsigned long)value, (unsigned long)ra);
    hw_finish(EXIT_TRAP);
}
