/* A thermostat that clients set and watch by remote calls over the UART. */
#include <stdio.h>

#include "platform/uart.h"
#include "rpc/hdlc.h"
#include "thermostat.rpc.h"

static int32_t now = 180, target = 180;
static home_Thermostat_Watch_writer watcher; /* kept after the handler has returned */
static uint32_t wanted;

static void fill_in(home_Reading reading) {
    home_Reading_set_tenths(reading, now);
    home_Reading_set_state(reading, now < target ? "heating" : "idle");
}

enum hw_rpc_status home_Thermostat_Set(home_Target request, home_Reading *response) {
    if (home_Target_get_tenths(request) > 300) return HW_RPC_OUT_OF_RANGE;
    target = home_Target_get_tenths(request);
    fill_in(*response);
    return HW_RPC_OK;
}

enum hw_rpc_status home_Thermostat_Watch(home_Thermostat_Watch_writer writer, home_Interest request) {
    home_Thermostat_Watch_finish(watcher, HW_RPC_ABORTED); /* nothing happens if nobody watches */
    watcher = writer;
    wanted = home_Interest_get_readings(request);
    return wanted ? HW_RPC_OPEN : HW_RPC_OK;
}

/* Time passes in this room while somebody watches. */
static void go_on(void) {
    HW_SCOPE; /* the handle on the reading ends with the block */
    home_Reading reading = home_Reading_new();

    now += now < target;
    fill_in(reading);
    home_Thermostat_Watch_write(watcher, reading);
    if (--wanted == 0) home_Thermostat_Watch_finish(watcher, HW_RPC_OK);
}

int main(void) {
    static const struct hw_rpc_service *const services[] = {&home_Thermostat};
    static uint8_t input[1500], output[1500], byte;
    static struct hw_rpc_server server;
    static struct hw_rpc_hdlc line;

    if (!hw_start()) {
        puts(hw_error_text());
        return 1;
    }
    hw_rpc_open(&server, services, 1, output, sizeof output);
    hw_rpc_hdlc_open(&line, &server, input, sizeof input, hw_uart_put);
    for (;;) {
        if (hw_uart_take(&byte)) hw_rpc_hdlc_take(&line, byte);
        if (hw_rpc_is_open(watcher.any)) go_on();
    }
}
