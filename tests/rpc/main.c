/* The device on the SoC's UART. */
#include "device.h"
#include "platform/uart.h"
#include "programs/program.h"
#include "rpc/hdlc.h"

int main(void) {
    static struct hw_rpc_hdlc line;
    static uint8_t input[1500];
    uint8_t byte;

    if (!device_start(program_schema, program_schema_length)) return 1;
    hw_rpc_hdlc_open(&line, &server, input, sizeof input, hw_uart_put);
    line.link.channels = channels;
    line.link.channel_count = 2;
    for (;;)
        if (hw_uart_take(&byte))
            hw_rpc_hdlc_take(&line, byte);
        else
            streams_go_on();
}
