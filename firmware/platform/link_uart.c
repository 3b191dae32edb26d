#include "platform/link_uart.h"

#include <generated/csr.h>

#ifdef CSR_LINK_BASE

#define EVENT_RECEIVED 2u /* in link_ev_pending: clearing it makes the FIFO show its next byte */
#define SEND_BYTES 16u    /* an empty FIFO has room for so many; asking each time would take half of the cycles */

bool hw_link_uart_present(void) { return true; }

void hw_link_uart_put(const uint8_t *data, uint32_t bytes) {
    for (const uint8_t *end = data + bytes; data != end;) {
        uint32_t room = link_txempty_read() ? SEND_BYTES : !link_txfull_read();

        for (; room && data != end; room--) link_rxtx_write(*data++);
    }
}

uint32_t hw_link_uart_take(uint8_t *data, uint32_t capacity) {
    uint32_t got = 0;

    while (got < capacity && !link_rxempty_read()) {
        data[got++] = (uint8_t)link_rxtx_read();
        link_ev_pending_write(EVENT_RECEIVED);
    }
    return got;
}

void hw_link_uart_flush(void) { while (!link_txempty_read()); }

#else

bool hw_link_uart_present(void) { return false; }

void hw_link_uart_put(const uint8_t *data, uint32_t bytes) { (void)data, (void)bytes; }

uint32_t hw_link_uart_take(uint8_t *data, uint32_t capacity) {
    (void)data, (void)capacity;
    return 0;
}

void hw_link_uart_flush(void) {}

#endif
