/* Serves the calls of the demo (firmware/programs/rpc) in datagrams, by the engine that the program's input names
 * (study/bench/rpc.py). */
#include "demo.rpc.h"
#include "programs/program.h"
#include "programs/rpc/demo.h"
#include "protobuf/protobuf.h"
#include "rpc/udp.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

enum { OBJECTS, OBJECTS_BY_SOFTWARE, STRUCTS, STRUCTS_BY_NANOPB };

static struct hw_rpc_udp clients;

enum hw_rpc_status demo_Objects_Echo(demo_Report request, demo_Report *response) {
    *response = request;
    return HW_RPC_OK;
}

enum hw_rpc_status demo_Objects_Cost(demo_Nothing request, demo_Cycles *response) {
    (void)request, (void)response;
    return HW_RPC_UNIMPLEMENTED;
}

static void take(const struct hw_udp_address *from, const uint8_t *data, uint32_t length) {
    hw_rpc_udp_take(&clients, from, data, length);
}

/* nanopb alone needs no units, so that it also runs on LiteX's own CPU. */
static bool start_units(void) {
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 1u << 20};

    hw_capability_discover();
    if (hw_schema_load(program_schema, program_schema_length) != HW_SCHEMA_OK || !hw_heap_init(&heap)) return false;
    if (program_input[0] == OBJECTS_BY_SOFTWARE) hw_protobuf_software_only(hw_rpc_context());
    return true;
}

int main(void) {
    static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};
    static const struct hw_rpc_service *services[1];
    static uint8_t output[HW_UDP_MOST];
    static struct hw_rpc_server server;
    uint8_t engine = program_input[0];

    if (engine != STRUCTS_BY_NANOPB && !start_units()) return 1;
    services[0] = engine <= OBJECTS_BY_SOFTWARE ? &demo_Objects
                  : engine == STRUCTS           ? demo_structs
                                                : demo_structs_alone();
    hw_rpc_open(&server, services, 1, output, sizeof output);
    hw_rpc_udp_open(&clients, &server, hw_udp_send);
    hw_udp_open(mac, HW_UDP_IP(192, 168, 7, 2), 7000);
    for (;;) hw_udp_poll(take);
}
