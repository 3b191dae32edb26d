#include "device.h"

#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

struct hw_rpc_server server;
uint32_t cancelled;
static struct stream streams[STREAMS];

const uint32_t channels[2] = {1, 2};

bool stream_keep(const struct stream *stream) {
    for (unsigned i = 0; i < STREAMS; i++)
        if (!hw_rpc_is_open(streams[i].writer)) {
            streams[i] = *stream;
            return true;
        }
    return false;
}

uint32_t streams_open(void) {
    uint32_t open = 0;

    for (unsigned i = 0; i < STREAMS; i++) open += hw_rpc_is_open(streams[i].writer);
    return open;
}

void streams_go_on(void) {
    for (struct stream *each = streams; each != streams + STREAMS; each++) {
        hw_scope scope = hw_scope_open();

        if (hw_rpc_is_open(each->writer)) {
            if (each->left)
                each->write(each->writer, each->next++);
            else
                hw_rpc_finish(each->writer, HW_RPC_OK, NULL);
            each->left--;
        }
        hw_scope_close(scope);
    }
}

bool device_start(void *schema, uint32_t bytes) {
    static uint8_t output[1500];
    static const struct hw_rpc_service *services[2];
    struct hw_heap_options heap = {.base = HW_FIXED_BASE, .bytes = 1u << 20};

    hw_capability_discover();
    if (hw_schema_load(schema, bytes) != HW_SCHEMA_OK || !hw_heap_init(&heap)) return false;
    services[0] = objects;
    services[1] = structs;
    hw_rpc_open(&server, services, 2, output, sizeof output);
    return true;
}
