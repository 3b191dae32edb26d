#include "platform/uart.h"

#include <generated/csr.h>
#include <generated/soc.h>

#include "platform/cycles.h"

#define EVENT_RECEIVED 2u /* in uart_ev_pending: clearing it makes the FIFO show its next byte */

#define CLOCKS_PER_BIT_MIN 10u /* the receiver needs as many to find the middle of a bit */
#define RATE_MIN 1200u
#define BITS_PER_BYTE 10u

/* The phase accumulator of LiteX's UART gains rate * 2^32 / clock per clock. This factor is 2^16 times that per bit per
 * second, which avoids a division. */
#define TUNING_PER_BIT (((uint64_t)1 << 48) / CONFIG_CLOCK_FREQUENCY)

void hw_uart_put(uint8_t byte) {
    while (uart_txfull_read());
    uart_rxtx_write(byte);
}

bool hw_uart_take(uint8_t *byte) {
    if (uart_rxempty_read()) return false;
    *byte = (uint8_t)uart_rxtx_read();
    uart_ev_pending_write(EVENT_RECEIVED);
    return true;
}

void hw_uart_flush(void) { while (!uart_txempty_read()); }

#ifdef CSR_UART_PHY_TUNING_WORD_ADDR

uint32_t hw_uart_rate(void) {
    return (uint32_t)(((uint64_t)uart_phy_tuning_word_read() * CONFIG_CLOCK_FREQUENCY + (1u << 31)) >> 32);
}

bool hw_uart_rate_possible(uint32_t rate) {
    return rate >= RATE_MIN && rate <= CONFIG_CLOCK_FREQUENCY / CLOCKS_PER_BIT_MIN;
}

static void wait(uint32_t cycles) {
    uint32_t start = cycles_now();

    while (cycles_now() - start < cycles);
}

void hw_uart_set_rate(uint32_t rate) {
    uint32_t word = (uint32_t)((rate * TUNING_PER_BIT + (1u << 15)) >> 16);
    uint8_t dropped;

    hw_uart_flush();
    /* The FIFO is empty, but its last byte is still being sent. */
    wait(CONFIG_CLOCK_FREQUENCY / hw_uart_rate() * (BITS_PER_BYTE + 2));
    uart_phy_tuning_word_write(word);
    while (hw_uart_take(&dropped));
}

#else

uint32_t hw_uart_rate(void) { return 0; }

bool hw_uart_rate_possible(uint32_t rate) {
    (void)rate;
    return false;
}

void hw_uart_set_rate(uint32_t rate) { (void)rate; }

#endif
