#include <string.h>

#include "units/nanopb/nanopb.h"
#include "units/nanopb/unit.h"

#define LONGEST_PREFIX 5

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

/* Puts the message, which lies at the end of the buffer, with what goes around it where the stream is. */
static bool deliver(pb_ostream_t *stream, const uint8_t *start, uint32_t length, uint32_t room, unsigned int flags)
{
    uint8_t prefix[LONGEST_PREFIX];
    bool delimited = flags & PB_ENCODE_DELIMITED;
    uint32_t before = delimited ? put_length(prefix, length) : 0;
    uint32_t behind = !delimited && flags & PB_ENCODE_NULLTERMINATED ? 1 : 0;
    uint8_t *output = stream->state;

    if (before + behind > room - length)
        return false;
    if (length)
        memmove(output + before, start, length);
    memcpy(output, prefix, before);
    if (behind)
        output[length] = 0;
    stream->state = output + before + length + behind;
    stream->bytes_written += before + length + behind;
#ifndef PB_NO_ERRMSG
    if (delimited)
        stream->errmsg = NULL;
#endif
    return true;
}

static int by_unit(pb_ostream_t *stream, const pb_msgdesc_t *fields, const void *message, unsigned int flags)
{
    const struct hw_nanopb_type *type = in_memory(stream) ? hw_nanopb_find(fields) : NULL;
    uint32_t room = room_of(stream);
    uint8_t *start;

    if (!type || !type->table || type->decode_only || (uintptr_t)message % type->alignment != 0 || room == 0)
        return HW_NANOPB_NO_UNIT;
    int status = hw_nanopb_unit_encode(type->table, message, stream->state, room, &start);

    if (status != HW_STATUS_OK)
        return status;
    uint32_t length = (uint32_t)((uint8_t *)stream->state + room - start);
    return deliver(stream, start, length, room, flags) ? HW_STATUS_OK : HW_STATUS_OUTPUT_FULL;
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
