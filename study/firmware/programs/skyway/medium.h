/* Lines to several machines over one line to a switch (study/docs/programs.md, "Several machines").
 *
 * A frame on that line has an address behind its leading zero, the number of a machine plus 1: the receiver's in a
 * frame to the switch, the sender's in a frame from it. Each line below leads to a single machine, and its frames have
 * no address.
 */
#ifndef HW_PROGRAMS_SKYWAY_MEDIUM_H
#define HW_PROGRAMS_SKYWAY_MEDIUM_H

#include "skyway/registry/link.h"

#define MEDIUM_MACHINES 5u

struct medium;

struct medium_line {
    struct hw_skyway_line line;
    struct medium *medium;
    uint32_t peer;
    uint8_t came[FRAME_MAX + 2]; /* bytes that are not taken yet: [at, limit) */
    uint32_t at, limit;
};

struct medium {
    struct hw_skyway_line *wire; /* to the switch */
    uint32_t self, machines;     /* the number of this machine; how many there are */
    /* A whole frame of a peer has come while a line to another machine waits. Must take it without waiting. */
    void (*arrived)(struct medium *medium, uint32_t peer);
    struct medium_line lines[MEDIUM_MACHINES];

    bool addressed;       /* the next byte is an address */
    uint32_t from;        /* the machine whose frame is coming; MEDIUM_MACHINES: none that is known */
    bool sorting;         /* inside `arrived`, where nothing more is read from the wire */
    uint8_t pending[256]; /* bytes from the wire that are not sorted yet: [at, limit) */
    uint32_t at, limit;
};

void medium_open(struct medium *medium, struct hw_skyway_line *wire, uint32_t self, uint32_t machines,
                 void (*arrived)(struct medium *medium, uint32_t peer));

#endif
