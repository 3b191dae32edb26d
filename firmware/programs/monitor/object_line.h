/* Object streams over the monitor's line: media for cereal/cereal.h, between a program here and
 * heapwire.client.objects on the host (docs/reference/monitor_protocol.md, "Object streams").
 *
 *   object_line_open(&line, hw_uart_put, hw_uart_take, clock, CONFIG_CLOCK_FREQUENCY); gives up after 1 s without the
 * host object_line_output(&output, &line, buffer, sizeof buffer); hw_cereal_write(&context, &output.stream,
 * object);                    waits for the host to take it object_line_input(&input, &line, buffer, sizeof buffer);
 *   hw_cereal_read(&context, &input.stream, &object);                     waits for the host to give one
 *
 * The line belongs to the program: nothing else reads from it, and the host treats what is printed meanwhile as noise.
 * A stream travels in frames, each with a checksum, and has a checksum of its own: it is read only when all of it has
 * arrived intact. If no request of the host arrives for `patience`, the call ends with HW_STATUS_NOT_SENT or
 * HW_STATUS_BAD_STREAM, and the next one starts over.
 */
#ifndef HW_PROGRAMS_MONITOR_OBJECT_LINE_H
#define HW_PROGRAMS_MONITOR_OBJECT_LINE_H

#include "programs/monitor/server.h"
#include "cereal/cereal.h"

struct object_line {
    struct server server;
    void (*put)(uint8_t byte);
    bool (*take)(uint8_t *byte); /* returns false if no byte has arrived */
    uint32_t (*now)(void);       /* a clock that wraps around */
    uint32_t patience;           /* in ticks of `now`, below 2^31 */
    uint32_t requests;           /* number of the host's requests that were answered */
    /* The stream offered to the host; NULL: none. */
    const uint8_t *offered;
    uint32_t offered_bytes, offered_crc;
    uint32_t number; /* of the stream offered, or of the last one; counted from 1 */
    bool taken;
    /* Room for a stream that the host is to give, [wanted, wanted + room); NULL: none is wanted. */
    uint8_t *wanted;
    uint32_t room;
    uint32_t given_bytes, given_crc, received; /* of the stream that is being given; bytes of it that have arrived */
    bool given;
};

void object_line_open(struct object_line *line, void (*put)(uint8_t byte), bool (*take)(uint8_t *byte),
                      uint32_t (*now)(void), uint32_t patience);

struct object_line_output {
    struct hw_cereal_output stream;
    struct object_line *line;
};

struct object_line_input {
    struct hw_cereal_input stream;
    struct object_line *line;
    uint8_t *buffer, *limit;
};

/* Drops a stream that was given and could not be read. The next read waits for another. */
void object_line_drop(struct object_line_input *input);

/* Initialise media for streams of up to `bytes` bytes. `buffer` is 16-byte aligned and outside the managed heap. */
void object_line_output(struct object_line_output *output, struct object_line *line, void *buffer, uint32_t bytes);
void object_line_input(struct object_line_input *input, struct object_line *line, void *buffer, uint32_t bytes);

#endif
