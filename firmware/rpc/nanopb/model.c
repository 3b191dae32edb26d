/* Messages as nanopb's structs, read and written by the engine. A handler's structs, and what they point to, end with
 * it. */
#include "rpc/nanopb/model.h"

static uintptr_t begin(void) { return hw_nanopb_arena ? hw_nanopb_arena->top : 0; }

static void end(uintptr_t begun) {
    if (hw_nanopb_arena) hw_nanopb_arena->top = (hw_ref)begun;
}

static enum hw_rpc_status failure(void) { return HW_RPC_OK; }

static void *read(const void *type, const uint8_t *payload, uint32_t length, enum hw_rpc_status *why) {
    const struct hw_rpc_nanopb_type *known = type;
    pb_istream_t stream = pb_istream_from_buffer(payload, length);

    hw_nanopb_full = false;
    if (hw_pb_decode(&stream, known->fields, known->place)) return known->place;
    *why = hw_nanopb_full ? HW_RPC_RESOURCE_EXHAUSTED : HW_RPC_DATA_LOSS;
    return NULL;
}

/* The generated function around the handler sets the defaults. */
static void *make(const void *type) { return ((const struct hw_rpc_nanopb_type *)type)->place; }

static bool write(const void *type, void *message, uint8_t *output, uint32_t size, struct hw_bytes *bytes) {
    const struct hw_rpc_nanopb_type *known = type;
    pb_ostream_t stream = pb_ostream_from_buffer(output, size);

    if (!hw_pb_encode(&stream, known->fields, message)) return false;
    *bytes = (struct hw_bytes){output, (uint32_t)stream.bytes_written};
    return true;
}

const struct hw_rpc_model hw_rpc_nanopb = {begin, end, failure, read, make, write};
