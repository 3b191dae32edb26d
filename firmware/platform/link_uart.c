#include "platform/link_uart.h"

#include <generated/csr.h>

#ifdef CSR_LINK_BASE

#define EVENT_RECEIVED 2u /* in link_ev_pending: clearing it makes the FIFO show its next byte */

bool hw_link_uart_present(void) { return true; }

void hw_link_uart_put(uint8_t byte) {
    while (link_txfull_read());
    link_rxtx_write(byte);
}

bool hw_link_uart_take(uint8_t *byte) {
    if (link_rxempty_read()) return false;
    *byte = (uint8_t)link_rxtx_read();
    link_ev_pending_write(EVENT_RECEIVED);
    return true;
}

void hw_link_uart_flush(void) { while (!link_txempty_read()); }

#else

bool hw_link_uart_present(void) { return false; }

void hw_link_uart_put(uint8_t byte) { (void)byte; }

bool hw_link_uart_take(uint8_t *byte) {
    (void)byte;
    return false;
}

void hw_link_uart_flush(void) {}

#endif
