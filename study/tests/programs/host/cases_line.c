/* A line of two machines whose other end, played by the test, never stops sending. Every wait ends all the same. */
#include <string.h>

#include "../../../../tests/common/cases.h"
#include "packet/body.h"
#include "programs/skyway/exchange.h"

enum { PATIENCE = 1000, BYTE_TICKS = 10, MOST_TICKS = 100000 * PATIENCE };

static struct skyway_link link;
static struct packet asked = {.operation = SKYWAY_BEGIN};
static uint8_t plain[PACKET_MAX], frame[FRAME_MAX + 2];
static uint32_t ticks, frame_bytes, frame_at, frames_sent, answers;
static bool drips;

static void put(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes) {
    (void)line, (void)data, (void)bytes;
    answers++;
}

static int32_t get(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait) {
    (void)line, (void)capacity;
    if (ticks > MOST_TICKS) return -1; /* a wait without end must not hang the test */
    if (drips) {
        ticks += wait > 1 ? wait - 1 : BYTE_TICKS;
        data[0] = 1;
        return 1;
    }
    ticks += BYTE_TICKS;
    data[0] = frame[frame_at++];
    if (frame_at == frame_bytes) frame_at = 0, frames_sent++;
    return 1;
}

static uint32_t now(struct hw_skyway_line *line) {
    (void)line;
    return ticks;
}

static void begin_line(bool dripping) {
    static struct hw_skyway_line line = {.put = put, .get = get, .now = now, .patience = PATIENCE};

    skyway_link_open(&link, &line);
    ticks = frame_at = frames_sent = answers = 0;
    drips = dripping;
}

/* Each byte comes just before the patience ends, and none ends a frame. */
CASE(dripping_peer) {
    begin_line(true);
    EXPECT(!skyway_link_call(&link, &asked) && link.resent == SKYWAY_TRIES - 1);
    EXPECT(ticks >= SKYWAY_TRIES * (PATIENCE - 1) && ticks < 2 * SKYWAY_TRIES * PATIENCE);
    begin_line(true);
    EXPECT(skyway_link_wait(&link, PATIENCE) && ticks < 2 * PATIENCE);
    begin_line(true);
    EXPECT(skyway_link_poll(&link, false) && ticks <= SKYWAY_FRAMES * (FRAME_MAX + 2) * BYTE_TICKS);
}

/* Requests come one right after the other, and each is answered. */
CASE(flooding_peer) {
    static struct packet request = {.operation = 0x7f, .sequence = 9};
    static struct exchange lane;
    static uint8_t taken[100];
    uint32_t bytes;

    frame_bytes = hw_frame_pack(&request, plain, frame);
    begin_line(false);
    EXPECT(skyway_link_wait(&link, PATIENCE) && link.heard == SKYWAY_FRAMES && answers == link.heard);
    begin_line(false);
    EXPECT(!skyway_link_call(&link, &asked) && ticks < 2 * SKYWAY_TRIES * PATIENCE);
    begin_line(false);
    exchange_open(&lane, &link, SKYWAY_CARRY_MAX);
    exchange_begin(&lane, taken, sizeof taken);
    EXPECT(!exchange_receive(&lane, &bytes) && strcmp(lane.problem, "does not answer") == 0);
    EXPECT(ticks >= EXCHANGE_WAITS * PATIENCE);
    EXPECT(ticks < EXCHANGE_WAITS * PATIENCE + SKYWAY_FRAMES * frame_bytes * BYTE_TICKS);
}
