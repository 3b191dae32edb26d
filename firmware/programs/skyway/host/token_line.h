/* Skyway's line to a simulated SoC, by the tokens of docs/sim.md, "Two machines". What this process computes between two tokens takes no
 * simulated time. */
#ifndef HW_PROGRAMS_SKYWAY_HOST_TOKEN_LINE_H
#define HW_PROGRAMS_SKYWAY_HOST_TOKEN_LINE_H

#include "skyway/registry/link.h"

#define TOKEN_QUANTUM 1000u

struct token_line {
    struct hw_skyway_line line;
    int socket; /* less than 0: cut */
    uint32_t byte_cycles;
    uint64_t cycle;    /* of the simulation */
    uint64_t free;     /* when the line takes the next byte */
    uint64_t patience; /* cycles */
    uint8_t *out, *in; /* bytes that wait, [at, limit) */
    uint32_t out_at, out_limit, out_room, in_at, in_limit, in_room;
};

/* Connects to the simulator that listens at `path`, waiting for it. False: it is no such line. */
bool token_line_open(struct token_line *line, const char *path, uint32_t byte_cycles, uint64_t patience);

/* What was put goes out, and the line is cut. */
void token_line_close(struct token_line *line);

#endif
