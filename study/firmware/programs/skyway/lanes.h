/* This machine's links to all others, with the exchanges over them: a line to the one other machine, or lines over a
 * switch to several. */
#ifndef HW_PROGRAMS_SKYWAY_LANES_H
#define HW_PROGRAMS_SKYWAY_LANES_H

#include "programs/shuffle/shuffle.h"
#include "skyway/registry/link.h"

/* `wire` is the line to the other machine, or to the switch if there are more than two. */
void lanes_open(struct hw_skyway_line *wire, uint32_t worker, uint32_t workers);

/* Synchronizes all machines and numbers their classes; worker 0 is the driver. Returns NULL, or what went wrong. */
const char *lanes_meet(void);

/* For struct shuffle: sends out[peer] to each other worker, and receives in[peer]. */
bool lanes_exchange(struct shuffle *shuffle);

/* Answers the others, whose last responses may be lost, until nothing has arrived for `patience` ticks of the wire's
 * clock. */
void lanes_linger(uint32_t patience);

/* Counts the requests sent again, and the frames that came damaged, of all links. */
void lanes_count(uint32_t *resent, uint32_t *damaged);

#endif
