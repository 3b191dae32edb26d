/* Protocol Buffers: serialization of managed objects onto the wire.
 *
 *   struct hw_bytes bytes;
 *   if (!hw_protobuf_write(&context, type, message, output, sizeof(output), &bytes))
 *       ... context.status says what is wrong, context.offset is the address of the object at fault ...
 *
 * The context is that of protobuf/protobuf.h. Its objects, in arenas or in the managed heap, are only read. Software
 * (protobuf/codec) executes the commands that the unit cannot; `fallbacks` counts them. Not a safepoint: nothing moves
 * meanwhile.
 */
#ifndef HW_PROTOBUF_SERIALIZE_H
#define HW_PROTOBUF_SERIALIZE_H

#include "runtime/message.h"
#include "protobuf/protobuf.h"
#include "units/status.h"

/* Writes the message to the end of the `size` bytes at `output`; `bytes` becomes its place. Nothing outside `output` is
 * written; on an error its contents are undefined. Returns false with an error in the context. */
bool hw_protobuf_write(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                       uint32_t size, struct hw_bytes *bytes);

/* A command that runs while its thread goes on. It is settled at the next safepoint at the latest, so that its objects
 * do not move under it. The struct, the output and the handle must last until hw_protobuf_write_end, and the
 * objects must not change. */
struct hw_protobuf_writing {
    struct hw_pending pending;
    struct hw_protobuf *context;
    const struct hw_type *type;
    hw_handle message;
    void *output;
    uint32_t size;
    int32_t tag;
    hw_status status;
    uint32_t start, length, at;
    enum hw_pending_state state;
};

/* Begins hw_protobuf_write. As many commands may be in flight as there are tags. Returns false with an error in the
 * context. */
bool hw_protobuf_write_begin(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                             uint32_t size, struct hw_protobuf_writing *writing);

/* Ends a submitted command, on the thread that submitted it. */
bool hw_protobuf_write_end(struct hw_protobuf_writing *writing, struct hw_bytes *bytes);

#endif
