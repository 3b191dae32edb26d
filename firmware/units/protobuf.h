/* Protocol Buffers: the wire into managed objects, by the deserializer unit.
 *
 *   struct hw_protobuf context;
 *   hw_protobuf_init(&context, &heap);
 *   hw_scope scope = hw_scope_open();
 *   hw_handle message;
 *   if (!hw_protobuf_deserialize(&context, type, input, length, &message))
 *       ... context.status, context.offset say what is wrong and where ...
 *   hw_scope_close(scope);
 *
 * The first error stays in the context and every later call fails with it, so a
 * sequence of calls can be checked once at its end; hw_protobuf_clear forgets it.
 * Software (codecs/protobuf) does what the unit cannot: all of it without a unit, and
 * input that the unit calls UNSUPPORTED. `fallbacks` counts these commands.
 *
 * The objects lie in the context's heap; an error leaves the heap as it was.
 */
#ifndef HW_UNITS_PROTOBUF_H
#define HW_UNITS_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"
#include "runtime/descriptor.h"
#include "runtime/handle.h"

#define HW_PROTOBUF_DEFAULT_DEPTH 100

/* Status of the driver's own, beside HW_STATUS_*: the table of local handles is full. */
#define HW_PROTOBUF_NO_HANDLE 0x100

struct hw_protobuf {
    struct hw_arenas *heap;
    uint32_t max_depth; /* messages and groups open within the root; 0: the unit's limit */
    bool unit;          /* commands go to the unit first */
    int status;         /* first error: HW_STATUS_* or HW_PROTOBUF_NO_HANDLE */
    uint32_t offset;    /* ... and its offset in that input */
    uint32_t fallbacks;
};

void hw_protobuf_init(struct hw_protobuf *context, struct hw_arenas *heap);

/* Parses `length` bytes at `input` into a new object of `type`, held by a new local handle. */
bool hw_protobuf_deserialize(struct hw_protobuf *context, const struct hw_type *type, const void *input, uint32_t length,
                             hw_handle *result);

/* Forgets the first error. */
static inline void hw_protobuf_clear(struct hw_protobuf *context)
{
    context->status = HW_STATUS_OK;
    context->offset = 0;
}

#endif
