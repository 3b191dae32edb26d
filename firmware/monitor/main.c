/* The monitor: serves a host over the UART (docs/monitor_protocol.md). */
#include "monitor/link.h"
#include "monitor/service.h"
#include "platform/finish.h"
#include "platform/uart.h"

int main(void)
{
    int code;

    service_init();
    while (!service_ended(&code))
        link_take(uart_get(), uart_put);
    uart_flush();
    finish_now(code);
}
