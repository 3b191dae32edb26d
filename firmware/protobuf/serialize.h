/* Protocol Buffers: managed objects onto the wire, by the serializer unit.
 *
 *   struct hw_bytes bytes;
 *   if (!hw_protobuf_serialize(&context, type, message, output, sizeof(output), &bytes))
 *       ... context.status says what is wrong, context.offset is the address of the object at fault ...
 *
 * The context is that of protobuf/protobuf.h; its objects, in arenas or in the managed heap, are only read. Software
 * (protobuf/codec) does what the unit cannot, and `fallbacks` counts it. Not a safepoint: nothing moves meanwhile.
 */
#ifndef HW_PROTOBUF_SERIALIZE_H
#define HW_PROTOBUF_SERIALIZE_H

#include "runtime/message.h"
#include "protobuf/protobuf.h"

/* Writes the message to the end of the `size` bytes at `output`; `bytes` says where it starts. Nothing
 * outside them is written, and on an error what is in them is undefined. */
bool hw_protobuf_serialize(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                           uint32_t size, struct hw_bytes *bytes);

/* A command that runs while its thread goes on. Settled at a safepoint at the latest, so that its objects do not
 * move under it; its memory, the output and the handle must last until hw_protobuf_serialize_finish, and the
 * objects must not change. */
struct hw_protobuf_writing {
    struct hw_pending pending;
    struct hw_protobuf *context;
    const struct hw_type *type;
    hw_handle message;
    void *output;
    uint32_t size;
    int32_t tag;
    int status;
    uint32_t start, length, at;
    enum { HW_WRITING_IN_FLIGHT, HW_WRITING_SETTLED, HW_WRITING_DEFERRED } state;
};

/* Begins hw_protobuf_serialize. As many may be in flight as there are tags. False with an error in the context. */
bool hw_protobuf_serialize_submit(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                                  uint32_t size, struct hw_protobuf_writing *writing);

/* Ends a command that was submitted, on the same thread. */
bool hw_protobuf_serialize_finish(struct hw_protobuf_writing *writing, struct hw_bytes *bytes);

#endif
