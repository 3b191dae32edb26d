/* Sends the text at TEXT over the second UART, and waits for WAIT rounds of a loop. Then copies received bytes to the
 * first UART, up to the end of a line, or LIMIT bytes if LIMIT is not 0. Ends with the code at CODE. */
#include <stdint.h>

#include <generated/csr.h>

#define TEXT ((volatile char *)0x42000000)
#define WAIT ((volatile uint32_t *)0x43000000)
#define LIMIT ((volatile uint32_t *)0x44000000)
#define CODE ((volatile uint32_t *)0x45000000)

int main(void) {
    for (volatile char *text = TEXT; *text; text++) {
        while (link_txfull_read());
        link_rxtx_write(*text);
    }
    for (uint32_t left = *WAIT; left; left--) __asm__ volatile("");
    char byte = 0;
    for (uint32_t count = 0; *LIMIT ? count < *LIMIT : byte != '\n'; count++) {
        while (link_rxempty_read());
        byte = link_rxtx_read();
        link_ev_pending_write(2);
        while (uart_txfull_read());
        uart_rxtx_write(byte);
    }
    while (!link_txempty_read());
    return *CODE;
}
