/* In place of LiteX's libbase/isr.c, whose messages make every program contain printf. */
#include <stddef.h>
#include <irq.h>
#include <generated/soc.h>
#include <libbase/uart.h>

void isr(void);

static isr_t handlers[CONFIG_CPU_INTERRUPTS];

int irq_attach(unsigned int line, isr_t handler) {
    unsigned int enabled = irq_getie();

    if (line >= CONFIG_CPU_INTERRUPTS) return -1;
    irq_setie(0);
    handlers[line] = handler;
    irq_setie(enabled);
    return (int)line;
}

int irq_detach(unsigned int line) { return irq_attach(line, NULL); }

/* Masks a line without a handler. */
void isr(void) {
    unsigned int lines = irq_pending() & irq_getmask();

    for (unsigned int line = 0; lines; line++, lines >>= 1) {
        if (!(lines & 1)) continue;
        if (line < CONFIG_CPU_INTERRUPTS && handlers[line])
            handlers[line]();
        else
            irq_setmask(irq_getmask() & ~(1u << line));
    }
}
