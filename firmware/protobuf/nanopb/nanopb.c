#include "protobuf/nanopb/nanopb.h"

#include <string.h>

#include "protobuf/nanopb/unit.h"
#include "runtime/compiler.h"

#define LONG 512 /* in bytes: from this length on, a unit writes the message again sooner than the core moves it */

struct hw_nanopb_counters hw_nanopb_decodes, hw_nanopb_encodes;

static bool reads_memory(const pb_istream_t *stream) {
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
    if ((flags & ~PB_DECODE_DELIMITED) != 0 || !reads_memory(stream)) return NULL;
    const struct hw_nanopb_type *type = hw_nanopb_find(fields);

    return type->table && hw_nanopb_aligned(type, message) ? type->table : NULL;
}

static hw_status decode_by_unit(const struct hw_type *table, pb_istream_t *stream, void *message, unsigned int flags) {
    pb_istream_t whole = *stream, body = *stream;
    struct hw_arena *arena = hw_nanopb_arena;
    uint32_t top = arena->top;

    whole.bytes_left = 0;
    if (flags & PB_DECODE_DELIMITED) {
        whole.bytes_left = stream->bytes_left;
        if (!pb_make_string_substream(&whole, &body)) return HW_NANOPB_NO_UNIT;
    }
    if (body.bytes_left > UINT32_MAX) return HW_NANOPB_NO_UNIT;
    hw_status status = hw_nanopb_unit_decode(table, message, body.state, (uint32_t)body.bytes_left, &top, arena->limit);

    if (status == HW_STATUS_OK) {
        arena->top = top;
        stream->state = (pb_byte_t *)body.state + body.bytes_left;
        stream->bytes_left = whole.bytes_left;
    }
    return status;
}

/* Returns whether the status blames the input, and not a limit of the unit or a full arena. */
static bool malformed(hw_status status) {
    return status >= HW_STATUS_TRUNCATED && status < HW_STATUS_FIXED_ARENA_FULL && status != HW_STATUS_DEPTH_EXCEEDED;
}

/* Returns whether no unit was asked for a struct that the core cannot access either: it would trap. */
static bool is_packed(hw_status status, const pb_msgdesc_t *fields) {
    return status == HW_NANOPB_NO_UNIT && hw_nanopb_find(fields)->reason == HW_NANOPB_PACKED;
}

/* Has nanopb decode from the start, after a unit has ended with `status`. */
static bool decode_by_software(pb_istream_t *stream, const pb_msgdesc_t *fields, void *message, unsigned int flags,
                               hw_status status) {
    if (is_packed(status, fields)) PB_RETURN_ERROR(stream, "packed_struct: unaligned members");
    hw_nanopb_full = false;
    bool accepted = pb_decode_ex(stream, fields, message, flags);

    if (status == HW_NANOPB_NO_UNIT) {
        hw_nanopb_decodes.software++;
    } else {
        hw_nanopb_decodes.redone++;
        hw_nanopb_decodes.overruled += accepted && malformed(status);
    }
#ifndef PB_NO_ERRMSG
    if (!accepted && hw_nanopb_full) stream->errmsg = "the arena of hw_nanopb_allocate_in is full";
#endif
    return accepted;
}

bool hw_pb_decode_ex(pb_istream_t *stream, const pb_msgdesc_t *fields, void *dest_struct, unsigned int flags) {
    const struct hw_type *table = table_for(stream, fields, dest_struct, flags);
    hw_status status = table ? decode_by_unit(table, stream, dest_struct, flags) : HW_NANOPB_NO_UNIT;

    if (status != HW_STATUS_OK) return decode_by_software(stream, fields, dest_struct, flags, status);
    hw_nanopb_decodes.by_unit++;
    return true;
}

/* Moves a stream in memory over bytes that a unit decodes, or back. */
ALWAYS_INLINE void pass(pb_istream_t *stream, uint32_t length) {
    stream->state = (pb_byte_t *)stream->state + length;
    stream->bytes_left -= length;
}

ALWAYS_INLINE void take_decoded(struct hw_arena *arena, int32_t tag) {
    uint32_t top = hw_command_result(HW_READ_FLEXIBLE_TOP, tag);

    hw_command_release(tag);
    arena->top = top;
}

/* Takes the outcome of a command that may not have ended yet, or that has ended with an error. */
static COLD_CALL bool decode_failed(pb_istream_t *stream, const pb_msgdesc_t *fields, void *message, uint32_t length,
                                    int32_t tag) {
    hw_status status = hw_command_finish(tag);

    if (status == HW_STATUS_OK) {
        take_decoded(hw_nanopb_arena, tag);
        return true;
    }
    hw_command_release(tag);
    hw_nanopb_decodes.by_unit--;
    pass(stream, -length);
    return decode_by_software(stream, fields, message, 0, status);
}

/* The whole of what happens if a unit decodes a message that takes all of a stream in memory. Everything else is left
 * to hw_pb_decode_ex. What does not need the results is done while the unit works, as if it could not fail. */
bool hw_pb_decode(pb_istream_t *stream, const pb_msgdesc_t *fields, void *dest_struct) {
    const struct hw_nanopb_type *type = hw_nanopb_slot(fields);
    const struct hw_type *table = type->read_by;
    bool aligned = hw_nanopb_aligned(type, dest_struct);
    struct hw_arena *arena = hw_nanopb_arena;
    uint32_t length = (uint32_t)stream->bytes_left;

    if (UNLIKELY(type->descriptor != fields || !table || !aligned || !reads_memory(stream) ||
                 length != stream->bytes_left))
        return hw_pb_decode_ex(stream, fields, dest_struct, 0);
    int32_t tag = hw_nanopb_submit_decode(table, dest_struct, stream->state, length, arena->top, arena->limit);

    if (UNLIKELY(tag < 0)) return hw_pb_decode_ex(stream, fields, dest_struct, 0);
    pass(stream, length);
    hw_nanopb_decodes.by_unit++;
    if (UNLIKELY(hw_command_wait(tag) != HW_STATUS_OK)) return decode_failed(stream, fields, dest_struct, length, tag);
    take_decoded(arena, tag);
    return true;
}

static bool writes_memory(const pb_ostream_t *stream) {
#ifdef PB_BUFFER_ONLY
    return stream->callback != NULL;
#else
    return stream->callback && stream->callback == pb_ostream_from_buffer(NULL, 0).callback;
#endif
}

/* Returns the free bytes of the buffer; 0 if its end is not known. */
static uint32_t room_of(const pb_ostream_t *stream) {
    size_t room = stream->max_size - stream->bytes_written;

    if (stream->bytes_written > stream->max_size || room > INT32_MAX || (uintptr_t)stream->state > UINTPTR_MAX - room)
        return 0;
    return (uint32_t)room;
}

static void put_length(uint8_t *prefix, uint32_t length) {
    for (; length > 0x7f; length >>= 7) *prefix++ = (uint8_t)(length | 0x80);
    *prefix = (uint8_t)length;
}

/* Return the bytes that go before a message of this length, and those behind. */
static uint32_t before_of(uint32_t length, unsigned int flags) {
    uint32_t bytes = 1;

    if (!(flags & PB_ENCODE_DELIMITED)) return 0;
    for (; length > 0x7f; length >>= 7) bytes++;
    return bytes;
}

static uint32_t behind_of(unsigned int flags) {
    return !(flags & PB_ENCODE_DELIMITED) && flags & PB_ENCODE_NULLTERMINATED ? 1 : 0;
}

/* Encodes the message so that it ends at `output + end`. */
static int write_at(const struct hw_nanopb_type *type, const void *message, uint8_t *output, uint32_t end,
                    uint8_t **start, uint32_t *length) {
    hw_status status = hw_nanopb_unit_encode(type->table, message, output, end, start);

    if (status == HW_STATUS_OK) *length = (uint32_t)(output + end - *start);
    return status;
}

/* Brings a message of `length` bytes from `start` to its place. `*written` includes the bytes around the message. */
static hw_status bring(struct hw_nanopb_type *type, const void *message, uint8_t *output, uint32_t room,
                       unsigned int flags, uint8_t *start, uint32_t length, uint32_t *written) {
    uint32_t before = before_of(length, flags), behind = behind_of(flags);
    hw_status status = HW_STATUS_OK;

    *written = before + length + behind;
    if (*written > room) return HW_STATUS_OUTPUT_FULL;
    type->encoded = length;
    if (start != output + before) {
        if (length >= LONG)
            status = write_at(type, message, output, before + length, &start, &length);
        else
            memmove(output + before, start, length);
    }
    if (before) put_length(output, length);
    if (behind) output[length] = 0;
    return status;
}

/* The unit writes backwards from an end. The message lies where it belongs if its length is known beforehand, so
 * place() guesses that it is the length of the type's previous message. If that was wrong, bring() moves the message,
 * or has it written again if it is long, because that is faster. */
static hw_status place(struct hw_nanopb_type *type, const void *message, uint8_t *output, uint32_t room,
                       unsigned int flags, uint32_t *written) {
    uint32_t end = before_of(type->encoded, flags) + type->encoded, length;
    bool guessed = type->encoded && end + behind_of(flags) <= room;
    uint8_t *start;
    hw_status status = write_at(type, message, output, guessed ? end : room, &start, &length);

    if (guessed && status == HW_STATUS_OUTPUT_FULL) status = write_at(type, message, output, room, &start, &length);
    return status == HW_STATUS_OK ? bring(type, message, output, room, flags, start, length, written) : status;
}

ALWAYS_INLINE void advance(pb_ostream_t *stream, uint32_t written) {
    stream->state = (uint8_t *)stream->state + written;
    stream->bytes_written += written;
    hw_nanopb_encodes.by_unit++;
}

static hw_status encode_by_unit(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *message,
                                unsigned int flags) {
    struct hw_nanopb_type *type = writes_memory(stream) ? hw_nanopb_find(fields) : NULL;
    uint32_t room = room_of(stream), written;

    if (!type || !type->table || type->decode_only || !hw_nanopb_aligned(type, message) || room == 0)
        return HW_NANOPB_NO_UNIT;
    hw_status status = place(type, message, stream->state, room, flags, &written);

    if (status != HW_STATUS_OK) return status;
    advance(stream, written);
#ifndef PB_NO_ERRMSG
    if (flags & PB_ENCODE_DELIMITED) stream->errmsg = NULL;
#endif
    return HW_STATUS_OK;
}

/* Has nanopb encode from the start, after a unit has ended with `status`. */
static bool encode_by_software(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *message,
                               unsigned int flags, hw_status status) {
    if (is_packed(status, fields)) PB_RETURN_ERROR(stream, "packed_struct: unaligned members");
    bool accepted = pb_encode_ex(stream, fields, message, flags);

    if (status == HW_NANOPB_NO_UNIT) {
        hw_nanopb_encodes.software++;
    } else {
        hw_nanopb_encodes.redone++;
        hw_nanopb_encodes.overruled += accepted && status == HW_STATUS_DOES_NOT_FIT;
    }
    return accepted;
}

bool hw_pb_encode_ex(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *src_struct, unsigned int flags) {
    hw_status status = encode_by_unit(stream, fields, src_struct, flags);

    return status == HW_STATUS_OK || encode_by_software(stream, fields, src_struct, flags, status);
}

/* Takes the outcome of a command that may not have ended yet, or that has not put a message of `end` bytes at the
 * stream's place. */
static COLD_CALL bool encode_otherwise(pb_ostream_t *stream, const pb_msgdesc_t *fields, struct hw_nanopb_type *type,
                                       const void *message, uint32_t end, int32_t tag) {
    hw_status status = hw_command_finish(tag);
    uint8_t *start = hw_pointer(hw_command_result(HW_WRITE_START, tag)), *output = stream->state;
    uint32_t written;

    hw_command_release(tag);
    if (status == HW_STATUS_OUTPUT_FULL) {
        type->encoded = 0; /* it is longer than that */
        return hw_pb_encode_ex(stream, fields, message, 0);
    }
    if (status == HW_STATUS_OK)
        status = bring(type, message, output, room_of(stream), 0, start, (uint32_t)(output + end - start), &written);
    if (status != HW_STATUS_OK) return encode_by_software(stream, fields, message, 0, status);
    advance(stream, written);
    return true;
}

/* The whole of what happens if a unit encodes a message as long as the type's previous one to memory. Everything else
 * is left to the functions above. */
bool hw_pb_encode(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *src_struct) {
    struct hw_nanopb_type *type = hw_nanopb_slot(fields);
    const struct hw_type *table = type->written_by;
    bool aligned = hw_nanopb_aligned(type, src_struct);
    uint32_t end = type->encoded;

    if (UNLIKELY(type->descriptor != fields || !table || end == 0 || !aligned || !writes_memory(stream) ||
                 room_of(stream) < end))
        return hw_pb_encode_ex(stream, fields, src_struct, 0);
    uint8_t *output = stream->state;
    int32_t tag = hw_nanopb_submit_encode(table, src_struct, output, end);

    if (UNLIKELY(tag < 0)) return hw_pb_encode_ex(stream, fields, src_struct, 0);
    if (UNLIKELY(hw_command_wait(tag) != HW_STATUS_OK || hw_pointer(hw_command_result(HW_WRITE_START, tag)) != output))
        return encode_otherwise(stream, fields, type, src_struct, end, tag);
    hw_command_release(tag);
    advance(stream, end);
    return true;
}
