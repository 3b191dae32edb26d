/* Exchanges of byte streams in both directions at once, between two machines on one line: what shuffling programs write
 * for each other, with any serializer (study/docs/programs.md, "Exchanges"). */
#ifndef HW_PROGRAMS_SKYWAY_EXCHANGE_H
#define HW_PROGRAMS_SKYWAY_EXCHANGE_H

#include "skyway/registry/link.h"

/* CARRY: number of the exchange, total length, offset, and up to SKYWAY_CARRY_MAX bytes. The answer has the number and
 * the next offset wanted. */
#define SKYWAY_CARRY 0x28
#define SKYWAY_CARRY_MAX SKYWAY_DATA_MAX /* three words precede them, as in DATA */
#define EXCHANGE_WAITS 10                /* the times of the line's patience until the other end is given up */

/* While the other end is still in the previous exchange, it is asked again after pauses. The first one is the line's
 * patience divided by EXCHANGE_PAUSES_MAX; the longest ones are the patience divided by EXCHANGE_PAUSES_MIN. */
#define EXCHANGE_PAUSES_MAX 1024u
#define EXCHANGE_PAUSES_MIN 64u

struct exchange {
    struct skyway_link *link;
    uint32_t part;   /* most bytes of a packet */
    uint32_t number; /* number of the exchange under way or of the last one, from 1 */
    uint8_t *data;   /* where the received bytes go; NULL: none are expected */
    uint32_t capacity, received, length;
    bool whole; /* all bytes have arrived */
    bool full;  /* the other end has sent a stream for which there is no room */
    /* Says what the other end did when a send or a receive failed, such as "does not answer". */
    const char *problem;
    struct packet request;
};

/* Packets carry at most `part` bytes, itself at most SKYWAY_CARRY_MAX. */
void exchange_open(struct exchange *exchange, struct skyway_link *link, uint32_t part);

/* Begins the next exchange. Received bytes have room for `capacity` bytes at `in`. */
void exchange_begin(struct exchange *exchange, uint8_t *in, uint32_t capacity);

/* Sends `bytes` bytes, and answers the other end meanwhile. Returns false and sets `problem` if the other end does not
 * answer, has no room, or does not begin this exchange for EXCHANGE_WAITS times the line's patience. */
bool exchange_send(struct exchange *exchange, const uint8_t *out, uint32_t bytes);

/* Receives the rest of what the other end sends. Returns false and sets `problem` if no byte of it comes for
 * EXCHANGE_WAITS times the line's patience, or if there is no room. */
bool exchange_receive(struct exchange *exchange, uint32_t *bytes);

/* For the function that serves the link. Returns false if the request is no CARRY. */
bool exchange_answer(struct exchange *exchange, const struct packet *request, struct packet *response);

#endif
