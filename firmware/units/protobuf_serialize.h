/* Protocol Buffers: managed objects onto the wire, by the serializer unit.
 *
 *   struct hw_bytes bytes;
 *   if (!hw_protobuf_serialize(&context, type, message, output, sizeof(output), &bytes))
 *       ... context.status says what is wrong, context.offset is the address of the object at fault ...
 *
 * The context is that of units/protobuf.h; its objects, in arenas or in the managed heap, are only read. Software
 * (codecs/protobuf) does what the unit cannot, and `fallbacks` counts it. Not a safepoint: nothing moves meanwhile.
 */
#ifndef HW_UNITS_PROTOBUF_SERIALIZE_H
#define HW_UNITS_PROTOBUF_SERIALIZE_H

#include "runtime/message.h"
#include "units/protobuf.h"

/* Writes the message to the end of the `size` bytes at `output`; `bytes` says where it starts. Nothing
 * outside them is written, and on an error what is in them is undefined. */
bool hw_protobuf_serialize(struct hw_protobuf *context, const struct hw_type *type, hw_handle message, void *output,
                           uint32_t size, struct hw_bytes *bytes);

#endif
