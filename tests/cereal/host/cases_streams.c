/* The cases about streams. */
#include "cases.h"
#include "cereal/codec/codec.h"

#include <string.h>

/* A line that delivers 16 bytes at a time, into a buffer that starts again for every stream. */
static _Alignas(16) uint8_t line_buffer[1024];
static uint32_t line_sent, line_length;
static uint8_t *line_end;

static bool line_fetch(struct hw_cereal_input *stream, uint32_t bytes) {
    size_t there = (size_t)(line_end - stream->at);

    memmove(line_buffer, stream->at, there);
    line_end = line_buffer + there;
    stream->at = line_buffer;
    while ((size_t)(line_end - line_buffer) < bytes && line_sent < line_length) {
        memcpy(line_end, memory + line_sent, 16);
        line_end += 16;
        line_sent += 16;
    }
    stream->limit = line_end;
    return (size_t)(line_end - line_buffer) >= bytes;
}

static void line_consume(struct hw_cereal_input *stream, uint32_t bytes) { stream->at += bytes; }

static bool line_complete(struct hw_cereal_output *stream, uint32_t bytes) {
    if (line_length + bytes > CASES_MEMORY) return false;
    memcpy(memory + line_length, stream->at, bytes);
    line_length += bytes;
    return true;
}

/* Streams over something other than memory: a stream is sent when it is complete, and fetched as it is needed. */
CASE(over_a_line) {
    static _Alignas(16) uint8_t buffer[1024];
    hw_handle copy;

    begin(false);
    output = (struct hw_cereal_output){.at = buffer, .limit = buffer + sizeof buffer, .complete = line_complete};
    input =
        (struct hw_cereal_input){.at = line_buffer, .limit = line_buffer, .fetch = line_fetch, .consume = line_consume};
    line_end = line_buffer;
    for (uint32_t i = 1; i <= 8; i++) EXPECT(hw_cereal_write(&context, &output, list(i)));
    for (uint32_t i = 1; i <= 7; i++) EXPECT(hw_cereal_read(&context, &input, &copy) && length_of(copy) == i);
    line_length -= 16;
    EXPECT(!hw_cereal_read(&context, &input, &copy) && context.status == HW_STATUS_BAD_STREAM && context.offset == 16);
    line_length += 16;
    hw_cereal_clear(&context);
    EXPECT(hw_cereal_read(&context, &input, &copy) && length_of(copy) == 8 && line_sent == line_length);
    while (context.status == HW_STATUS_OK) hw_cereal_write(&context, &output, list(9));
    EXPECT(context.status == HW_STATUS_NOT_SENT);
}

/* A stream is written at the next multiple of 16. A stream to be read must start at one. */
CASE(alignment) {
    hw_handle copy;

    begin(false);
    hw_cereal_output_open(&output, memory + 5, 1000);
    EXPECT(hw_cereal_write(&context, &output, list(2)));
    hw_cereal_input_open(&input, memory + 16, 1000);
    EXPECT(hw_cereal_read(&context, &input, &copy) && length_of(copy) == 2);
    hw_cereal_input_open(&input, memory + 8, 1000);
    EXPECT(!hw_cereal_read(&context, &input, &copy) && context.status == HW_STATUS_BAD_ALIGNMENT);
    hw_cereal_clear(&context);
    for (uint32_t bytes = 0; bytes < 11; bytes++) {
        hw_cereal_output_open(&output, memory + 5, bytes);
        EXPECT(!hw_cereal_write(&context, &output, list(1)) && context.status == HW_STATUS_OUTPUT_FULL);
        hw_cereal_clear(&context);
    }
}

/* The bound of a stream's image does not wrap. */
CASE(image_of_long_sections) {
    const struct cereal_header header = {.objects = 1, .layouts = 16, .references = 0x40000010, .graph = 4096};

    EXPECT(cereal_image_bytes(&header) == 4096);
}
