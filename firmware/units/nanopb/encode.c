#include <string.h>

#include "units/nanopb/nanopb.h"
#include "units/nanopb/unit.h"

#define LONGEST_PREFIX 5
#define LONG 512 /* bytes; of a message that a unit writes sooner than the core moves it */

struct hw_nanopb_counters hw_nanopb_encodes;

static bool in_memory(const pb_ostream_t *stream)
{
#ifdef PB_BUFFER_ONLY
    return stream->callback != NULL;
#else
    return stream->callback && stream->callback == pb_ostream_from_buffer(NULL, 0).callback;
#endif
}

/* Bytes of the buffer that are free; 0 if its end is not known. */
static uint32_t room_of(const pb_ostream_t *stream)
{
    size_t room = stream->max_size - stream->bytes_written;

    if (stream->bytes_written > stream->max_size || room > INT32_MAX || (uintptr_t)stream->state > UINTPTR_MAX - room)
        return 0;
    return (uint32_t)room;
}

static uint32_t put_length(uint8_t prefix[LONGEST_PREFIX], uint32_t length)
{
    uint32_t bytes = 0;

    for (; length > 0x7f; length >>= 7)
        prefix[bytes++] = (uint8_t)(length | 0x80);
    prefix[bytes++] = (uint8_t)length;
    return bytes;
}

/* What goes around a message of that length. */
struct frame {
    uint8_t prefix[LONGEST_PREFIX];
    uint32_t before, behind;
};

static struct frame frame_of(uint32_t length, unsigned int flags)
{
    struct frame frame = {.behind = !(flags & PB_ENCODE_DELIMITED) && flags & PB_ENCODE_NULLTERMINATED ? 1 : 0};

    if (flags & PB_ENCODE_DELIMITED)
        frame.before = put_length(frame.prefix, length);
    return frame;
}

static bool fits(const struct frame *frame, uint32_t length, uint32_t room)
{
    return frame->before + frame->behind <= room && length <= room - frame->before - frame->behind;
}

/* Encodes so that the message ends behind the first `end` bytes of the output. */
static int write(const struct hw_nanopb_type *type, const void *message, uint8_t *output, uint32_t end, uint8_t **start, uint32_t *length)
{
    int status = hw_nanopb_unit_encode(type->table, message, output, end, start);

    if (status == HW_STATUS_OK)
        *length = (uint32_t)(output + end - *start);
    return status;
}

/* The unit writes backwards from an end, so a message lies where it belongs if its length was known: it is taken to be
 * that of the type's last one. Otherwise the message is moved, or written once more, which is faster if it is long. */
static int place(struct hw_nanopb_type *type, const void *message, uint8_t *output, uint32_t room, unsigned int flags, uint32_t *length)
{
    struct frame frame = frame_of(type->encoded, flags);
    bool guessed = type->encoded && fits(&frame, type->encoded, room);
    uint8_t *start;
    int status = write(type, message, output, guessed ? frame.before + type->encoded : room, &start, length);

    if (guessed && status == HW_STATUS_OUTPUT_FULL)
        status = write(type, message, output, room, &start, length);
    if (status != HW_STATUS_OK)
        return status;
    frame = frame_of(*length, flags);
    if (!fits(&frame, *length, room))
        return HW_STATUS_OUTPUT_FULL;
    type->encoded = *length;
    if (start != output + frame.before && *length >= LONG) {
        status = write(type, message, output, frame.before + *length, &start, length);
        if (status != HW_STATUS_OK)
            return status;
    }
    if (start != output + frame.before)
        memmove(output + frame.before, start, *length);
    memcpy(output, frame.prefix, frame.before);
    if (frame.behind)
        output[*length] = 0;
    return HW_STATUS_OK;
}

static int by_unit(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *message, unsigned int flags)
{
    struct hw_nanopb_type *type = in_memory(stream) ? hw_nanopb_find(fields) : NULL;
    uint32_t room = room_of(stream), length;

    if (!type || !type->table || type->decode_only || (uintptr_t)message % type->alignment != 0 || room == 0)
        return HW_NANOPB_NO_UNIT;
    int status = place(type, message, stream->state, room, flags, &length);

    if (status != HW_STATUS_OK)
        return status;
    struct frame frame = frame_of(length, flags);
    uint32_t written = frame.before + length + frame.behind;
    stream->state = (uint8_t *)stream->state + written;
    stream->bytes_written += written;
#ifndef PB_NO_ERRMSG
    if (flags & PB_ENCODE_DELIMITED)
        stream->errmsg = NULL;
#endif
    return HW_STATUS_OK;
}

bool hw_pb_encode_ex(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *src_struct, unsigned int flags)
{
    int status = by_unit(stream, fields, src_struct, flags);

    if (status == HW_STATUS_OK) {
        hw_nanopb_encodes.by_unit++;
        return true;
    }
    bool accepted = pb_encode_ex(stream, fields, src_struct, flags);

    if (status == HW_NANOPB_NO_UNIT) {
        hw_nanopb_encodes.software++;
    } else {
        hw_nanopb_encodes.redone++;
        hw_nanopb_encodes.overruled += accepted && status == HW_STATUS_DOES_NOT_FIT;
    }
    return accepted;
}

bool hw_pb_encode(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *src_struct)
{
    return hw_pb_encode_ex(stream, fields, src_struct, 0);
}
