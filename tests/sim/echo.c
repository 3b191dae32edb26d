/* Says hello, echoes the UART until a newline, writes the complement of the bytes at LOADED, which the test put there,
 * to WRITTEN, and ends with the byte at CODE. */
#include <stdint.h>

#include <generated/csr.h>

#define LOADED ((volatile uint8_t *)0x42000000)
#define WRITTEN ((volatile uint8_t *)0x43000000)
#define CODE ((volatile uint8_t *)0x44000000)
#define COUNT 5000

static void put(char byte) {
    while (uart_txfull_read());
    uart_rxtx_write(byte);
}

int main(void) {
    for (const char *text = "hello\n"; *text; text++) put(*text);
    for (char byte = 0; byte != '\n';) {
        while (uart_rxempty_read());
        byte = uart_rxtx_read();
        uart_ev_pending_write(2);
        put(byte);
    }
    for (int i = 0; i < COUNT; i++) WRITTEN[i] = ~LOADED[i];
    return *CODE;
}
