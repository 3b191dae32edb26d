/* Requests and responses over a line, in the monitor's frames (docs/reference/skyway.md, "Link").
 *
 * One request of this end is under way at a time; requests of the other end are answered meanwhile. Every operation may
 * be executed twice without harm, so a request without a response is sent again.
 */
#ifndef HW_SKYWAY_REGISTRY_LINK_H
#define HW_SKYWAY_REGISTRY_LINK_H

#include "records/skyway.h"
#include "packet/frame.h"

/* A line that carries bytes both ways. */
struct hw_skyway_line {
    void (*put)(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes);
    /* Gets up to `capacity` bytes that have arrived. Waits for the first byte for at most `wait` ticks. Returns the
     * number of bytes; 0 if there are none; -1 if the line is cut. */
    int32_t (*get)(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait);
    /* The line's clock, which wraps around. A line decides what a tick is. Time must pass at least while `get`
     * waits. */
    uint32_t (*now)(struct hw_skyway_line *line);
    uint32_t patience; /* in ticks: how long a response may reasonably take; 1 to 2^31 - 1 */
};

/* How often a request is sent before the other end is given up. How many frames are read each time, or by one wait: the
 * other end may send frames for ever. */
#define SKYWAY_TRIES 10
#define SKYWAY_FRAMES 1000

struct skyway_link {
    struct hw_skyway_line *line;
    /* Answers a request of the other end: sets the response's status and body. NULL: requests are not answered. May be
     * a safepoint. */
    void (*serve)(struct skyway_link *link, const struct packet *request, struct packet *response);
    void *context; /* for `serve` */
    bool serving;  /* inside `serve`, which must not send requests */
    uint8_t sequence;
    uint32_t resent, damaged, heard; /* requests sent again; frames without a valid packet; frames with one */
    uint8_t pending[256];            /* bytes that have arrived but are not read yet: [at, limit) */
    uint32_t at, limit;
    struct frame_reader reader;
    struct packet incoming, answer;
    uint8_t plain[PACKET_MAX], encoded[FRAME_MAX + 2];
};

void skyway_link_open(struct skyway_link *link, struct hw_skyway_line *line);

/* Sends the request, repeatedly if need be, and waits for its response for the line's patience each time, whatever else
 * arrives. The response is then in link->incoming. Returns false if none came. A safepoint if `serve` is one. */
bool skyway_link_call(struct skyway_link *link, struct packet *request);

/* Waits for a frame for at most `ticks` of the line's clock. Then reads and answers what has arrived, up to
 * SKYWAY_FRAMES frames. Returns false if the line is cut. */
bool skyway_link_wait(struct skyway_link *link, uint32_t ticks);

/* Does the same; with `wait`, for as long as the line's patience, otherwise without waiting. */
bool skyway_link_poll(struct skyway_link *link, bool wait);

/* Skyway's line over the second UART, to another machine (docs/reference/skyway.md, "Link"). */

/* Its ticks are cycles. There is only one such line, because there is one such UART. */
void uart_line_open(struct hw_skyway_line *line, uint32_t patience);

#endif
