/* Protocol Buffers field by field: software walks the message by its descriptor
 * table, the unit writes and parses the fields (docs/units/protobuf_fields.md).
 *
 * The calls have the signatures and the results of the software codec
 * (protobuf/codec), which finishes what a sequence of instructions does not:
 * `hw_fields_fallbacks` counts these calls. A sequence that something else broke
 * is tried again first. What software walks is left to it as well: unknown
 * fields, closed enums and every error on the way in.
 *
 * A call is no safepoint.
 */
#ifndef HW_PROTOBUF_FIELDS_FIELDS_H
#define HW_PROTOBUF_FIELDS_FIELDS_H

#include "protobuf/codec/deserialize.h"
#include "protobuf/codec/serialize.h"
#include "protobuf/fields/instructions.h"

/* Stack that a message or group takes, at most; what the stack has no room for is the codec's to refuse. */
#define HW_FIELDS_STACK 192

/* Calls that the software codec finished; sequences that were broken. */
extern uint32_t hw_fields_fallbacks, hw_fields_broken;

/* hw_table_serialize. */
struct hw_table_output hw_fields_serialize(const struct hw_type *type, hw_ref object, uint32_t max_depth, uint8_t *output,
                                           uint32_t size, uint32_t bound, uint32_t limit);

/* hw_table_deserialize. */
struct hw_table_result hw_fields_deserialize(const struct hw_type *type, const void *input, uint32_t length,
                                             uint32_t max_depth, struct hw_arenas *heap);

#endif
