#include "platform/uart.h"

#include <generated/csr.h>

#define EVENT_RECEIVED 2u /* uart_ev_pending: taking it makes the FIFO show its next byte */

void uart_put(uint8_t byte)
{
    while (uart_txfull_read())
        ;
    uart_rxtx_write(byte);
}

uint8_t uart_get(void)
{
    while (uart_rxempty_read())
        ;
    uint8_t byte = (uint8_t)uart_rxtx_read();

    uart_ev_pending_write(EVENT_RECEIVED);
    return byte;
}

void uart_flush(void)
{
    while (!uart_txempty_read())
        ;
}
