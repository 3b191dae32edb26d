#include "structs.rpc_nanopb.h"

#include <string.h>

#include "programs/rpc/demo.h"

enum hw_rpc_status demo_Structs_Echo(const demo_Report *request, demo_Report *response) {
    strcpy(response->device, request->device);
    response->sequence = request->sequence;
    response->readings_count = request->readings_count;
    memcpy(response->readings, request->readings, request->readings_count * sizeof *request->readings);
    response->labels_count = request->labels_count;
    memcpy(response->labels, request->labels, request->labels_count * sizeof *request->labels);
    return HW_RPC_OK;
}

static void *read(const void *type, const uint8_t *payload, uint32_t length, enum hw_rpc_status *why) {
    const struct hw_rpc_nanopb_type *known = type;
    pb_istream_t stream = pb_istream_from_buffer(payload, length);

    *why = HW_RPC_DATA_LOSS;
    return pb_decode(&stream, known->fields, known->place) ? known->place : NULL;
}

static bool write(const void *type, void *message, uint8_t *output, uint32_t size, struct hw_bytes *bytes) {
    pb_ostream_t stream = pb_ostream_from_buffer(output, size);
    bool written = pb_encode(&stream, ((const struct hw_rpc_nanopb_type *)type)->fields, message);

    *bytes = (struct hw_bytes){output, (uint32_t)stream.bytes_written};
    return written;
}

const struct hw_rpc_service *const demo_structs = &demo_Structs;

const struct hw_rpc_service *demo_structs_alone(void) {
    static struct hw_rpc_model alone;
    static struct hw_rpc_service served;

    alone = hw_rpc_nanopb;
    alone.read = read;
    alone.write = write;
    served = demo_Structs;
    served.model = &alone;
    return &served;
}
