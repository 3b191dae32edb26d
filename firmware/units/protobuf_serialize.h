/* Protocol Buffers: managed objects onto the wire, by the serializer unit.
 *
 *   struct hw_protobuf_output output;
 *   hw_protobuf_output_init(&output, &heap);
 *   if (!hw_protobuf_serialize(&output, type, message, buffer, size, &bytes, &length))
 *       ... output.status, output.at say what is wrong and which object ...
 *
 * The message is written to the end of the buffer; its `length` bytes start at `bytes`. Objects
 * are only read. The first error stays in the context and every later call fails with it;
 * hw_protobuf_output_clear forgets it. After an error the buffer's contents are undefined.
 *
 * Software (codecs/protobuf) does what the unit cannot: all of it without a unit, and messages that
 * the unit calls UNSUPPORTED. `fallbacks` counts these commands.
 */
#ifndef HW_UNITS_PROTOBUF_SERIALIZE_H
#define HW_UNITS_PROTOBUF_SERIALIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/arena.h"
#include "runtime/descriptor.h"
#include "runtime/handle.h"

struct hw_protobuf_output {
    uint32_t bound, limit; /* where objects lie */
    uint32_t max_depth;    /* messages and groups open within the root; 0: the unit's limit */
    bool by_unit;          /* commands go to the unit first */
    int status;            /* first error: HW_STATUS_* */
    hw_ref at;             /* ... and the object at fault, if there is one */
    uint32_t fallbacks;
};

/* Objects lie in these arenas, wherever their tops are. */
void hw_protobuf_output_init(struct hw_protobuf_output *context, const struct hw_arenas *heap);

/* Objects lie in the managed heap (hw_heap_init). A call is no safepoint. */
void hw_protobuf_output_init_heap(struct hw_protobuf_output *context);

/* Writes the message, an object of `type`, into the `size` bytes at `buffer`. */
bool hw_protobuf_serialize(struct hw_protobuf_output *context, const struct hw_type *type, hw_handle message, void *buffer,
                           uint32_t size, void **bytes, uint32_t *length);

/* Forgets the first error. */
static inline void hw_protobuf_output_clear(struct hw_protobuf_output *context)
{
    context->status = HW_STATUS_OK;
    context->at = 0;
}

#endif
