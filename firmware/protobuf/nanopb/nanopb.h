/* nanopb's pb_decode and pb_encode, executed by the protobuf units.
 *
 *   pb_istream_t stream = pb_istream_from_buffer(buffer, length);
 *   if (!hw_pb_decode(&stream, Order_fields, &order))
 *       ... PB_GET_ERROR(&stream) ...
 *
 * The arguments, the return value, errmsg, bytes_left, bytes_written and the struct are those of nanopb, even if the
 * struct is written only in part. If the units cannot execute a call, nanopb does, from the start;
 * hw_nanopb_decodes and hw_nanopb_encodes count these calls. This concerns streams that are not memory, callbacks,
 * extensions, PB_DECODE_NOINIT and PB_DECODE_NULLTERMINATED, structs that are not aligned, and every command that a
 * unit ends with an error. Two errors have texts of their own: a full arena, and types with packed structs, which would
 * trap. Pointer fields need the arena of hw_nanopb_allocate_in.
 *
 * hw_pb_encode may overwrite the stream's buffer behind the message, up to max_size.
 */
#ifndef HW_PROTOBUF_NANOPB_NANOPB_H
#define HW_PROTOBUF_NANOPB_NANOPB_H

#include <pb_decode.h>
#include <pb_encode.h>

#include "protobuf/nanopb/tables.h"
#include "runtime/arena.h"

#ifdef __cplusplus
extern "C" {
#endif

bool hw_pb_decode(pb_istream_t *stream, const pb_msgdesc_t *fields, void *dest_struct);
bool hw_pb_decode_ex(pb_istream_t *stream, const pb_msgdesc_t *fields, void *dest_struct, unsigned int flags);
bool hw_pb_encode(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *src_struct);
bool hw_pb_encode_ex(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *src_struct, unsigned int flags);

#define hw_pb_decode_noinit(stream, fields, dest) hw_pb_decode_ex(stream, fields, dest, PB_DECODE_NOINIT)
#define hw_pb_decode_delimited(stream, fields, dest) hw_pb_decode_ex(stream, fields, dest, PB_DECODE_DELIMITED)
#define hw_pb_decode_delimited_noinit(stream, fields, dest) \
    hw_pb_decode_ex(stream, fields, dest, PB_DECODE_DELIMITED | PB_DECODE_NOINIT)
#define hw_pb_decode_nullterminated(stream, fields, dest) \
    hw_pb_decode_ex(stream, fields, dest, PB_DECODE_NULLTERMINATED)
#define hw_pb_encode_delimited(stream, fields, src) hw_pb_encode_ex(stream, fields, src, PB_ENCODE_DELIMITED)
#define hw_pb_encode_nullterminated(stream, fields, src) hw_pb_encode_ex(stream, fields, src, PB_ENCODE_NULLTERMINATED)

/* Number of calls, by who completed them. */
struct hw_nanopb_counters {
    uint32_t by_unit;   /* by a unit alone */
    uint32_t software;  /* by nanopb alone; no unit was asked */
    uint32_t redone;    /* by nanopb, after a unit ended with an error */
    uint32_t overruled; /* of these: nanopb accepted what the unit had called malformed */
};

extern struct hw_nanopb_counters hw_nanopb_decodes, hw_nanopb_encodes;

/* nanopb's allocator: a bump arena. The units that build nanopb's structs use the same arena. pb_release gives nothing
 * back to it: what a message has taken comes back when `top` is set to what it was before, or by hw_arena_reset.
 *
 * Blocks are 8-byte aligned. The word 8 bytes before a block is its capacity in bytes.
 */

#define HW_NANOPB_BLOCK_HEADER HW_OBJECT_ALIGNMENT

/* Sets the arena for the targets of pointer fields. NULL: allocations fail with "realloc failed". */
void hw_nanopb_allocate_in(struct hw_arena *arena);

/* The arena in force; an empty one if there is none. */
extern struct hw_arena *hw_nanopb_arena;

/* Whether the arena has refused a block since this was last cleared. */
extern bool hw_nanopb_full;

#ifdef __cplusplus
}
#endif

#endif
