/* Requests and responses over a line, in the monitor's frames (docs/skyway.md, "Link").
 *
 * One request of this end is under way at a time; what the other end asks meanwhile is answered. Every operation may be
 * carried out twice without harm, so a request that was not answered is sent again.
 */
#ifndef HW_SKYWAY_REGISTRY_LINK_H
#define HW_SKYWAY_REGISTRY_LINK_H

#include "skyway/registry/protocol.h"
#include "packet/frame.h"

/* A line of bytes, both ways. */
struct hw_skyway_line {
    void (*put)(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes);
    /* Up to `capacity` bytes that have come, waiting for the first for as long as a response may reasonably take if `wait`:
     * how many, 0: none have, -1: the line is cut. */
    int32_t (*get)(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, bool wait);
};

/* Times that a request is sent before the other end is given up, and frames that are listened to each time. */
#define SKYWAY_TRIES 10
#define SKYWAY_FRAMES 1000

struct skyway_link {
    struct hw_skyway_line *line;
    /* Answers what the other end asks: fills response's status and body. NULL: nothing can be asked. May be a safepoint. */
    void (*serve)(struct skyway_link *link, const struct packet *request, struct packet *response);
    void *context; /* the server's */
    bool serving;  /* within `serve`: no request is sent from there */
    uint8_t sequence;
    uint32_t resent, damaged, heard; /* requests sent again, frames that held no packet, frames that did */
    uint8_t pending[256]; /* bytes that have come and were not looked at: [at, limit) */
    uint32_t at, limit;
    struct frame_reader reader;
    struct packet incoming, answer;
    uint8_t plain[PACKET_MAX], encoded[FRAME_MAX + 2];
};

void skyway_link_open(struct skyway_link *link, struct hw_skyway_line *line);

/* Sends the request, again if need be, and waits for its response, which is in link->incoming then. False: none came. A
 * safepoint if `serve` is. */
bool skyway_link_call(struct skyway_link *link, struct packet *request);

/* Takes what has come and answers it; waits for something to come if `wait`. False: the line is cut. */
bool skyway_link_poll(struct skyway_link *link, bool wait);

#endif
