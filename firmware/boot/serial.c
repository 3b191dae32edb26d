#include "serial.h"

#include <stdbool.h>

#include "boot.h"
#include "line.h"
#include "platform/uart.h"

/* The host recognizes a machine that wants a program by REQUEST. The machine recognizes a host that has one by
 * CONSENT. */
#define REQUEST "sL5DdSMmkekro\n"
#define CONSENT "z6IHG7cYDID6o\n"
#define CONSENT_BYTES (sizeof(CONSENT) - 1)

#define ASK_MS 1000

/* Returns whether the host consents before it is time to ask again. */
static bool ask(void) {
    uint32_t start = line_now();
    unsigned matched = 0;
    uint8_t byte;

    say("boot: waiting for a program (litex_term --kernel FILE PORT): " REQUEST);
    while (!line_passed(start, ASK_MS)) {
        if (!hw_uart_take(&byte)) continue;
        /* The first byte of CONSENT occurs only once in it. So after a mismatch a new match can begin with this byte,
         * and nowhere else. */
        matched = byte == (uint8_t)CONSENT[matched] ? matched + 1 : byte == (uint8_t)CONSENT[0];
        if (matched == CONSENT_BYTES) return true;
    }
    return false;
}

uint32_t serial_boot(const struct main_memory *memory) {
    uint32_t entry;

    for (;;) {
        while (!ask());
        switch (sfl_receive(memory, &entry)) {
            case SFL_JUMP:
                say("boot: starting the program at ");
                say_hex(entry);
                say("\n");
                return entry;
            case SFL_ABORTED:
                say("boot: upload aborted by the host\n");
                break;
            case SFL_SILENT:
                say("boot: upload broken off, nothing came for 5 seconds\n");
                break;
            case SFL_FAILED:
                say("boot: upload failed, too many bad frames\n");
                break;
        }
    }
}
