/* Streams of bytes both ways at once, between two machines on one line: what shuffling programs write for each other, whatever serializer
 * wrote it (docs/skyway.md, "Exchanges"). */
#ifndef HW_PROGRAMS_SKYWAY_EXCHANGE_H
#define HW_PROGRAMS_SKYWAY_EXCHANGE_H

#include "skyway/registry/link.h"

/* CARRY: number of the exchange, length of all, offset, up to so many bytes; answered by number and the offset wanted next. */
#define SKYWAY_CARRY 0x28
#define SKYWAY_CARRY_MAX SKYWAY_DATA_MAX /* three words are in front, as of DATA */
#define EXCHANGE_WAITS 10 /* without a frame, each as long as the line's patience */

struct exchange {
    struct skyway_link *link;
    uint32_t number; /* of the one under way or the last one, from 1 on */
    uint8_t *data;   /* what comes goes here; NULL: nothing is under way */
    uint32_t capacity, received, length;
    bool whole;      /* all of it is there */
    struct packet request;
};

void exchange_open(struct exchange *exchange, struct skyway_link *link);

/* The next exchange: what comes has room for `capacity` bytes at `in`. */
void exchange_begin(struct exchange *exchange, uint8_t *in, uint32_t capacity);

/* Sends `bytes` bytes, and answers what the other end sends meanwhile. False: it does not answer, or has no room. */
bool exchange_send(struct exchange *exchange, const uint8_t *out, uint32_t bytes);

/* Takes the rest of what the other end sends. False: it is gone, or there is no room. */
bool exchange_receive(struct exchange *exchange, uint32_t *bytes);

/* Answers the other end, whose last response may be lost, until nothing has come for the line's patience. */
void exchange_linger(struct exchange *exchange);

/* Of what serves the link; false: the request is none of these. */
bool exchange_answer(struct exchange *exchange, const struct packet *request, struct packet *response);

#endif
