#include "programs/skyway/medium.h"

#include <string.h>

static void put(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes) {
    const struct medium_line *own = (const struct medium_line *)line;
    struct hw_skyway_line *wire = own->medium->wire;
    const uint8_t start[2] = {0, (uint8_t)(own->peer + 1)};

    wire->put(wire, start, sizeof start);
    wire->put(wire, data + 1, bytes - 1); /* a frame begins with a zero */
}

static void append(struct medium_line *line, uint8_t byte) {
    if (line->at == line->limit) line->at = line->limit = 0;
    if (line->limit < sizeof line->came) line->came[line->limit++] = byte;
}

/* Gives the byte to the line that it belongs to. Returns the machine whose frame has ended, or MEDIUM_MACHINES. */
static uint32_t sort(struct medium *medium, uint8_t byte) {
    uint32_t ended = MEDIUM_MACHINES;

    if (byte == 0) {
        if (!medium->addressed) ended = medium->from;
        medium->addressed = true;
        medium->from = MEDIUM_MACHINES;
    } else if (medium->addressed) {
        medium->addressed = false;
        medium->from = byte - 1u < medium->machines && byte - 1u != medium->self ? byte - 1u : MEDIUM_MACHINES;
        byte = 0;
        ended = MEDIUM_MACHINES;
    }
    uint32_t to = ended < MEDIUM_MACHINES ? ended : medium->from;

    if (to < MEDIUM_MACHINES) append(&medium->lines[to], byte);
    return ended;
}

/* Reads and sorts bytes from the wire until a frame of the line has come, for at most `wait` ticks, however much the
 * other machines send. Without waiting it reads the wire once. Returns what the wire's `get` does. */
static int32_t fetch(struct medium *medium, const struct medium_line *line, uint32_t wait) {
    struct hw_skyway_line *wire = medium->wire;
    uint32_t start = wire->now(wire);

    for (bool again = false; line->at == line->limit || medium->from == line->peer;) {
        if (medium->at == medium->limit) {
            uint32_t passed = wire->now(wire) - start, left = passed < wait ? wait - passed : 0;

            if (again && left == 0) return 0;
            int32_t got = wire->get(wire, medium->pending, sizeof medium->pending, left);

            if (got <= 0) return got;
            again = true;
            medium->at = 0;
            medium->limit = (uint32_t)got;
        }
        uint32_t ended = sort(medium, medium->pending[medium->at++]);

        if (ended < MEDIUM_MACHINES && ended != line->peer) {
            medium->sorting = true;
            medium->arrived(medium, ended);
            medium->sorting = false;
        }
    }
    return 1;
}

static int32_t get(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait) {
    struct medium_line *own = (struct medium_line *)line;
    int32_t fetched = own->medium->sorting ? 0 : fetch(own->medium, own, wait);
    uint32_t there = own->limit - own->at, bytes = there < capacity ? there : capacity;

    if (fetched < 0 || (fetched == 0 && !own->medium->sorting)) return fetched;
    memcpy(data, own->came + own->at, bytes);
    own->at += bytes;
    return (int32_t)bytes;
}

static uint32_t now(struct hw_skyway_line *line) {
    struct hw_skyway_line *wire = ((const struct medium_line *)line)->medium->wire;

    return wire->now(wire);
}

void medium_open(struct medium *medium, struct hw_skyway_line *wire, uint32_t self, uint32_t machines,
                 void (*arrived)(struct medium *medium, uint32_t peer)) {
    memset(medium, 0, sizeof *medium);
    medium->wire = wire;
    medium->self = self;
    medium->machines = machines;
    medium->arrived = arrived;
    medium->from = MEDIUM_MACHINES;
    for (uint32_t peer = 0; peer < MEDIUM_MACHINES; peer++) {
        medium->lines[peer].line =
            (struct hw_skyway_line){.put = put, .get = get, .now = now, .patience = wire->patience};
        medium->lines[peer].medium = medium;
        medium->lines[peer].peer = peer;
    }
}
