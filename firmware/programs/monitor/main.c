/* The monitor: serves a host over the UART (docs/reference/monitor_protocol.md). */
#include "programs/monitor/service.h"
#include "platform/finish.h"
#include "platform/uart.h"

int main(void) {
    int code;
    uint8_t byte;

    service_init();
    while (!service_ended(&code)) {
        if (hw_uart_take(&byte)) link_take(byte, hw_uart_put);
        rate_idle();
    }
    hw_uart_flush();
    hw_finish_now(code);
}
