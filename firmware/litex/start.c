/* What surrounds main in a program on LiteX's software. The linker turns calls of main, exit's end and abort into calls
 * of the functions here (heapwire_litex/heapwire.mak). */
#include <irq.h>
#include <libbase/uart.h>

int __real_main(void);
int __wrap_main(void);
void __wrap__exit(int code) __attribute__((noreturn));
void __wrap_abort(void) __attribute__((noreturn));

static void say(const char *text) {
    for (; *text; text++) uart_write(*text);
}

static __attribute__((noreturn)) void end(const char *how, const char *code) {
    say("\r\nprogram: ");
    say(how);
    say(code);
    say("\r\n");
    for (;;);
}

void __wrap__exit(int code) {
    char digits[12], *first = digits + sizeof digits - 1;
    unsigned rest = code < 0 ? 0u - (unsigned)code : (unsigned)code;

    *first = 0;
    do *--first = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (code < 0) *--first = '-';
    end("exit code ", first);
}

void __wrap_abort(void) { end("aborted", ""); }

/* LiteX's programs begin with interrupts and UART off. */
int __wrap_main(void) {
    irq_setmask(0);
    irq_setie(1);
    uart_init();
    __wrap__exit(__real_main());
}
