/* Skyway's line to a simulated SoC, by the tokens of docs/reference/sim.md, "Two machines". Computation of this process
 * between two tokens takes no simulated time. */
#ifndef HW_PROGRAMS_SKYWAY_HOST_TOKEN_LINE_H
#define HW_PROGRAMS_SKYWAY_HOST_TOKEN_LINE_H

#include "skyway/registry/link.h"

#define TOKEN_QUANTUM 1000u

struct token_line {
    struct hw_skyway_line line;
    int socket; /* negative: the line is cut */
    uint32_t byte_cycles;
    uint64_t cycle;    /* of the simulation */
    uint64_t free;     /* the cycle at which the line can take the next byte */
    uint8_t *out, *in; /* waiting bytes, [at, limit) */
    uint32_t out_at, out_limit, out_room, in_at, in_limit, in_room;
};

/* Connects to the simulator that listens at `path`, waiting for it if necessary. The line's ticks are cycles. Returns
 * false if it is no such line. */
bool token_line_open(struct token_line *line, const char *path, uint32_t byte_cycles, uint32_t patience);

/* Sends what was put, then cuts the line. */
void token_line_close(struct token_line *line);

#endif
