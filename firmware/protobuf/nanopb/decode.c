#include "protobuf/nanopb/allocate.h"
#include "protobuf/nanopb/nanopb.h"
#include "protobuf/nanopb/unit.h"

struct hw_nanopb_counters hw_nanopb_decodes;

static bool in_memory(const pb_istream_t *stream) {
#ifdef PB_BUFFER_ONLY
    (void)stream;
    return true;
#else
    return stream->callback == pb_istream_from_buffer(NULL, 0).callback;
#endif
}

/* Returns the table for this struct; NULL if no unit can decode it. */
static const struct hw_type *table_for(const pb_istream_t *stream, const pb_msgdesc_t *fields, const void *message,
                                       unsigned int flags) {
    if ((flags & ~PB_DECODE_DELIMITED) != 0 || !in_memory(stream)) return NULL;
    const struct hw_nanopb_type *type = hw_nanopb_find(fields);

    return type && type->table && hw_nanopb_aligned(type, message) ? type->table : NULL;
}

static hw_status by_unit(const struct hw_type *table, pb_istream_t *stream, void *message, unsigned int flags) {
    pb_istream_t whole = *stream, body = *stream;
    struct hw_arena *arena = hw_nanopb_arena();
    uint32_t top = arena ? arena->top : 0;

    whole.bytes_left = 0;
    if (flags & PB_DECODE_DELIMITED) {
        whole.bytes_left = stream->bytes_left;
        if (!pb_make_string_substream(&whole, &body)) return HW_NANOPB_NO_UNIT;
    }
    if (body.bytes_left > UINT32_MAX) return HW_NANOPB_NO_UNIT;
    hw_status status =
        hw_nanopb_unit_decode(table, message, body.state, (uint32_t)body.bytes_left, &top, arena ? arena->limit : 0);

    if (status == HW_STATUS_OK) {
        if (arena) arena->top = top;
        stream->state = (pb_byte_t *)body.state + body.bytes_left;
        stream->bytes_left = whole.bytes_left;
    }
    return status;
}

/* Returns whether the status blames the input, and not a limit of the unit or a full arena. */
static bool malformed(hw_status status) {
    return status >= HW_STATUS_TRUNCATED && status < HW_STATUS_FIXED_ARENA_FULL && status != HW_STATUS_DEPTH_EXCEEDED;
}

bool hw_pb_decode_ex(pb_istream_t *stream, const pb_msgdesc_t *fields, void *dest_struct, unsigned int flags) {
    const struct hw_type *table = table_for(stream, fields, dest_struct, flags);
    hw_status status = table ? by_unit(table, stream, dest_struct, flags) : HW_NANOPB_NO_UNIT;

    if (status == HW_STATUS_OK) {
        hw_nanopb_decodes.by_unit++;
        return true;
    }
    bool accepted = pb_decode_ex(stream, fields, dest_struct, flags);

    if (status == HW_NANOPB_NO_UNIT) {
        hw_nanopb_decodes.software++;
    } else {
        hw_nanopb_decodes.redone++;
        hw_nanopb_decodes.overruled += accepted && malformed(status);
    }
    return accepted;
}

bool hw_pb_decode(pb_istream_t *stream, const pb_msgdesc_t *fields, void *dest_struct) {
    return hw_pb_decode_ex(stream, fields, dest_struct, 0);
}
