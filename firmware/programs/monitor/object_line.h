/* Object streams over the monitor's line: media for cereal/stream.h, between a program here and
 * heapwire.client.objects on the host (docs/monitor_protocol.md, "Object streams").
 *
 *   object_line_open(&line, uart_put, uart_take, clock, CONFIG_CLOCK_FREQUENCY);     a second without the host is the end
 *   object_line_output(&output, &line, buffer, sizeof buffer);
 *   hw_cereal_write_object(&context, &output.stream, object);                    waits for the host to take it
 *   object_line_input(&input, &line, buffer, sizeof buffer);
 *   hw_cereal_read_object(&context, &input.stream, &object);                     waits for the host to give one
 *
 * The line is the program's: nothing else reads from it; what is printed meanwhile, the host takes for noise. A stream
 * goes over in frames, each with its checksum, and has one of its own: nothing of it is read before all of it is there
 * and sound. When no request of the host has come for `patience`, the call ends with HW_CEREAL_NOT_SENT, or
 * HW_STATUS_BAD_STREAM, and the next one begins anew.
 */
#ifndef HW_PROGRAMS_MONITOR_OBJECT_LINE_H
#define HW_PROGRAMS_MONITOR_OBJECT_LINE_H

#include "programs/monitor/server.h"
#include "cereal/stream.h"

struct object_line {
    struct server server;
    void (*put)(uint8_t byte);
    bool (*take)(uint8_t *byte); /* false: none has arrived */
    uint32_t (*now)(void);       /* a clock that wraps */
    uint32_t patience;           /* ticks of it, below 2^31 */
    uint32_t requests;           /* of the host that were answered */
    /* What is offered to the host; NULL: nothing. */
    const uint8_t *offered;
    uint32_t offered_bytes, offered_crc;
    uint32_t number; /* of the stream offered, or of the last one; from 1 on */
    bool taken;
    /* What the host is asked for: a stream into [wanted, wanted + room); NULL: nothing. */
    uint8_t *wanted;
    uint32_t room;
    uint32_t given_bytes, given_crc, received; /* of the stream that is being given, and how much of it is here */
    bool given;
};

void object_line_open(struct object_line *line, void (*put)(uint8_t byte), bool (*take)(uint8_t *byte), uint32_t (*now)(void),
                      uint32_t patience);

struct object_line_output {
    struct hw_cereal_output stream;
    struct object_line *line;
};

struct object_line_input {
    struct hw_cereal_input stream;
    struct object_line *line;
    uint8_t *buffer, *limit;
};

/* Forgets a stream that was given and could not be read: the next one is waited for. */
void object_line_drop(struct object_line_input *input);

/* Streams of up to `bytes` bytes; `buffer` is 16-byte aligned and outside the managed heap. */
void object_line_output(struct object_line_output *output, struct object_line *line, void *buffer, uint32_t bytes);
void object_line_input(struct object_line_input *input, struct object_line *line, void *buffer, uint32_t bytes);

#endif
