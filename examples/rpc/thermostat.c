/* A thermostat that clients set and watch by remote calls over the UART. */
#include "platform/uart.h"
#include "programs/program.h"
#include "rpc/hdlc.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "thermostat.rpc.h"
#include "units/capability.h"

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
    watcher = writer;
    wanted = home_Interest_get_readings(request);
    return HW_RPC_OPEN;
}

/* Time passes in this room while somebody watches. */
static void go_on(void) {
    hw_scope scope = hw_scope_open();
    home_Reading reading = home_Reading_new();

    now += now < target;
    fill_in(reading);
    home_Thermostat_Watch_write(watcher, reading);
    if (--wanted == 0) home_Thermostat_Watch_finish(watcher, HW_RPC_OK);
    hw_scope_close(scope);
}

int main(void) {
    static const struct hw_rpc_service *const services[] = {&home_Thermostat};
    static uint8_t input[1500], output[1500], byte;
    static struct hw_rpc_server server;
    static struct hw_rpc_hdlc line;
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 1u << 20};

    hw_capability_discover();
    if (hw_schema_load(program_schema, program_schema_length) != HW_SCHEMA_OK || !hw_heap_init(&heap)) return 1;
    hw_rpc_open(&server, services, 1, output, sizeof output);
    hw_rpc_hdlc_open(&line, &server, input, sizeof input, hw_uart_put);
    for (;;) {
        if (hw_uart_take(&byte)) hw_rpc_hdlc_take(&line, byte);
        if (hw_rpc_is_open(watcher.any)) go_on();
    }
}
