/* Messages as managed objects, read and written by the engine. A handler's handles end with it. */
#include "protobuf/protobuf.h"
#include "rpc/rpc.h"
#include "runtime/accessors/accessors.h"
#include "runtime/heap/heap.h"

struct hw_protobuf *hw_rpc_context(void) {
    static struct hw_protobuf context;
    uint32_t bound, limit;

    /* The heap may have begun anew. */
    hw_heap_bounds(&bound, &limit);
    if (context.bound != bound || context.limit != limit) hw_protobuf_open_heap(&context);
    return &context;
}

/* What the program has left undone elsewhere is not the handler's fault. */
static uintptr_t begin(void) {
    hw_error_clear();
    return (uintptr_t)hw_scope_open();
}

static void end(uintptr_t begun) { hw_scope_close((hw_scope)begun); }

static enum hw_rpc_status failure(void) {
    switch (hw_error_clear()) {
        case HW_STATUS_OK:
            return HW_RPC_OK;
        case HW_STATUS_OUT_OF_MEMORY:
        case HW_STATUS_NO_HANDLE:
            return HW_RPC_RESOURCE_EXHAUSTED;
        default:
            return HW_RPC_INTERNAL;
    }
}

static const struct hw_type *table_of(const struct hw_message_info *info) {
    return hw_message_klass_of(info) ? info->binding->type : NULL;
}

static void *read(const void *type, const uint8_t *payload, uint32_t length, enum hw_rpc_status *why) {
    struct hw_protobuf *context = hw_rpc_context();
    const struct hw_type *table = table_of(type);
    hw_handle message = NULL;

    if (table && hw_protobuf_read(context, table, payload, length, &message)) return message;
    *why = failure(); /* there is no schema, or no room */
    if (*why == HW_RPC_OK) *why = HW_RPC_DATA_LOSS;
    hw_protobuf_clear(context);
    return NULL;
}

static void *make(const void *type) {
    hw_handle message = hw_message_new(type);

    if (!message) hw_error_clear();
    return message;
}

static bool write(const void *type, void *message, uint8_t *output, uint32_t size, struct hw_bytes *bytes) {
    struct hw_protobuf *context = hw_rpc_context();
    const struct hw_type *table = table_of(type);

    if (table && hw_protobuf_write(context, table, message, output, size, bytes)) return true;
    failure();
    hw_protobuf_clear(context);
    return false;
}

const struct hw_rpc_model hw_rpc_managed = {begin, end, failure, read, make, write};
