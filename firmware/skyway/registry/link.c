#include "skyway/registry/link.h"

#include <string.h>

#include "runtime/heap/safepoint.h"

void skyway_link_open(struct skyway_link *link, struct hw_skyway_line *line) {
    memset(link, 0, sizeof *link);
    link->line = line;
}

static void send(struct skyway_link *link, struct packet *packet) {
    uint32_t bytes = hw_frame_pack(packet, link->plain, link->encoded);

    link->line->put(link->line, link->encoded, bytes);
}

static void answer(struct skyway_link *link) {
    struct packet *response = &link->answer;

    response->sequence = link->incoming.sequence;
    response->operation = link->incoming.operation | PACKET_RESPONSE;
    response->status = SKYWAY_UNKNOWN_OPERATION;
    response->text = 0;
    response->length = 0;
    if (link->serve) {
        link->serving = true;
        link->serve(link, &link->incoming, response);
        link->serving = false;
    }
    send(link, response);
}

enum taken { NOTHING, CUT, RESPONSE, OTHER };

/* Reads bytes until a frame has ended, for at most `wait` ticks; without waiting, no more bytes than a frame has. So it
 * ends, whatever comes. */
static enum taken take(struct skyway_link *link, uint32_t wait) {
    struct hw_skyway_line *line = link->line;
    uint32_t start = line->now(line);

    for (uint32_t bytes = 0; bytes < FRAME_MAX + 2; bytes++) {
        if (link->at == link->limit) {
            uint32_t passed = line->now(line) - start, left = passed < wait ? wait - passed : 0;

            if (bytes && wait && left == 0) return NOTHING;
            int32_t got = line->get(line, link->pending, sizeof link->pending, left);

            if (got <= 0) return got < 0 ? CUT : NOTHING;
            link->at = 0;
            link->limit = (uint32_t)got;
        }
        switch (hw_frame_read(&link->reader, link->pending[link->at++], &link->incoming)) {
            case FRAME_NOTHING:
                continue;
            case FRAME_BAD:
                link->damaged++;
                return OTHER;
            case FRAME_PACKET:
                link->heard++;
                if (link->incoming.operation & PACKET_RESPONSE) return RESPONSE;
                answer(link);
                return OTHER;
        }
    }
    return OTHER;
}

bool skyway_link_wait(struct skyway_link *link, uint32_t ticks) {
    enum taken taken = take(link, ticks);

    for (int frames = 1; frames < SKYWAY_FRAMES && (taken == OTHER || taken == RESPONSE); frames++)
        taken = take(link, 0);
    hw_safepoint();
    return taken != CUT;
}

bool skyway_link_poll(struct skyway_link *link, bool wait) {
    return skyway_link_wait(link, wait ? link->line->patience : 0);
}

bool skyway_link_call(struct skyway_link *link, struct packet *request) {
    struct hw_skyway_line *line = link->line;
    uint8_t expected = request->operation | PACKET_RESPONSE;

    if (link->serving) return false;
    link->sequence = (uint8_t)(link->sequence == UINT8_MAX ? 1 : link->sequence + 1);
    request->sequence = link->sequence;
    request->status = request->text = 0;
    for (int tries = 0; tries < SKYWAY_TRIES; tries++) {
        link->resent += tries != 0;
        send(link, request);
        /* When the patience has ended, what has arrived by then is still read: answering others may have taken long. */
        for (uint32_t frames = 0, start = line->now(line); frames < SKYWAY_FRAMES; frames++) {
            uint32_t passed = line->now(line) - start;
            enum taken taken = take(link, passed < line->patience ? line->patience - passed : 0);

            hw_safepoint();
            if (taken == CUT) return false;
            if (taken == NOTHING) break;
            if (taken == RESPONSE && link->incoming.sequence == request->sequence &&
                link->incoming.operation == expected)
                return true;
        }
    }
    return false;
}
