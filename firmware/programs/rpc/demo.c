/* Serves the demo's calls in datagrams, or over the UART on a SoC without a MAC. Each packet is then taken again, by
 * the engine and by software, without its answer going out, and the cycles are kept for who asks. */
#include "demo.rpc.h"
#include "platform/cycles.h"
#include "platform/uart.h"
#include "programs/program.h"
#include "programs/rpc/demo.h"
#include "protobuf/protobuf.h"
#include "rpc/hdlc.h"
#include "rpc/udp.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

#define ROUNDS 2  /* the first one warms the caches */
#define HEAD 2u   /* of a frame, in front of the packet */
#define SHORT 40u /* a call that asks for the cost is no longer */

static struct hw_rpc_server server;
static uint8_t input[1500], output[1500];
static uint32_t start, last, engine, software;

enum hw_rpc_status demo_Objects_Echo(demo_Report request, demo_Report *response) {
    *response = request;
    return HW_RPC_OK;
}

enum hw_rpc_status demo_Objects_Cost(demo_Nothing request, demo_Cycles *response) {
    (void)request;
    demo_Cycles_set_engine(*response, engine);
    demo_Cycles_set_software(*response, software);
    return HW_RPC_OK;
}

static void note(struct hw_rpc_link *link, const uint8_t *packet, uint32_t length) {
    (void)link, (void)packet, (void)length;
    last = cycles_now() - start;
}

/* Returns the fewest cycles that one of these services takes for the packet. */
static uint32_t cost(const uint8_t *packet, uint32_t length, const struct hw_rpc_service *objects,
                     const struct hw_rpc_service *structs) {
    const struct hw_rpc_service *const services[] = {objects, structs};
    struct hw_rpc_link link = {.send = note, .channels = hw_rpc_default_channel, .channel_count = 1};
    static struct hw_rpc_server silent;
    uint32_t fewest = UINT32_MAX;

    hw_rpc_open(&silent, services, 2, output, sizeof output);
    for (int i = 0; i < ROUNDS; i++) {
        start = cycles_now();
        hw_rpc_take(&silent, &link, packet, length, 0);
        if (last < fewest) fewest = last;
    }
    return fewest;
}

static void measure(const uint8_t *packet, uint32_t length) {
    struct hw_protobuf *context = hw_rpc_context();

    if (length <= SHORT) return;
    engine = cost(packet, length, &demo_Objects, demo_structs);
    hw_protobuf_software_only(context);
    software = cost(packet, length, &demo_Objects, demo_structs_alone());
    hw_protobuf_open_heap(context);
}

static struct hw_rpc_udp clients;

static void take(const struct hw_udp_address *from, const uint8_t *data, uint32_t length) {
    hw_rpc_udp_take(&clients, from, data, length);
    measure(data, length);
}

static void serve_datagrams(void) {
    static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};

    hw_rpc_udp_open(&clients, &server, hw_udp_send);
    hw_udp_open(mac, HW_UDP_IP(192, 168, 7, 2), 7000);
    for (;;) hw_udp_poll(take);
}

int main(void) {
    static struct hw_rpc_hdlc line;
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 1u << 20};
    const struct hw_rpc_service *const services[] = {&demo_Objects, demo_structs};
    uint8_t byte;

    hw_capability_discover();
    if (hw_schema_load(program_schema, program_schema_length) != HW_SCHEMA_OK || !hw_heap_init(&heap)) return 1;
    hw_rpc_open(&server, services, 2, output, sizeof output);
    if (hw_udp_present()) serve_datagrams();
    hw_rpc_hdlc_open(&line, &server, input, sizeof input, hw_uart_put);
    for (;;) {
        if (!hw_uart_take(&byte)) continue;
        uint32_t size = line.size, before = server.packets;

        hw_rpc_hdlc_take(&line, byte);
        if (server.packets != before) measure(input + HEAD, size - HW_RPC_HDLC_MORE);
    }
}
