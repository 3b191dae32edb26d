/* Exchanges of two machines on a line, whose other end the test plays. */
#include <string.h>

#include "../../../../tests/common/cases.h"
#include "packet/body.h"
#include "programs/skyway/exchange.h"
#include "programs/skyway/medium.h"

enum { LENGTH = 2000, FIRST = 992 };

static struct exchange lane;
static struct packet request, response;
static uint8_t sent[LENGTH + 100], taken[LENGTH];

/* Returns the status of the answer to a CARRY. Sets `*wanted` to the offset that the answer asks for next. */
static uint8_t answered(uint32_t number, uint32_t length, uint32_t offset, uint32_t bytes, uint32_t *wanted) {
    request.operation = SKYWAY_CARRY;
    request.length = response.length = 0;
    append(&request, number);
    append(&request, length);
    append(&request, offset);
    memcpy(request.body + request.length, sent + offset, bytes);
    request.length += bytes;
    EXPECT(exchange_answer(&lane, &request, &response) && response.length == 8 && word_at(&response, 0) == number);
    *wanted = word_at(&response, 1);
    return response.status;
}

/* Packets that are late, doubled, ahead, too long or empty. */
CASE(exchanges) {
    uint32_t wanted;

    for (uint32_t i = 0; i < sizeof sent; i++) sent[i] = (uint8_t)(i * 7 + i / 256);
    exchange_open(&lane, NULL, SKYWAY_CARRY_MAX);
    EXPECT(answered(1, LENGTH, 0, FIRST, &wanted) == SKYWAY_NO_TRANSFER); /* the exchange has not begun */
    exchange_begin(&lane, taken, LENGTH);
    EXPECT(answered(1, LENGTH + 1, 0, FIRST, &wanted) == SKYWAY_FULL && lane.received == 0);
    /* bytes before these are missing */
    EXPECT(answered(1, LENGTH, FIRST, FIRST, &wanted) == SKYWAY_NO_TRANSFER && wanted == 0);
    for (int twice = 0; twice < 2; twice++)
        EXPECT(answered(1, LENGTH, 0, FIRST, &wanted) == SKYWAY_OK && wanted == FIRST && !lane.whole);
    EXPECT(answered(1, LENGTH, FIRST, FIRST, &wanted) == SKYWAY_OK && wanted == 2 * FIRST);
    /* beyond its length */
    EXPECT(answered(1, LENGTH, 2 * FIRST, 100, &wanted) == SKYWAY_NO_TRANSFER && lane.received == 2 * FIRST);
    for (int twice = 0; twice < 2; twice++)
        EXPECT(answered(1, LENGTH, 2 * FIRST, LENGTH - 2 * FIRST, &wanted) == SKYWAY_OK && wanted == LENGTH &&
               lane.whole);
    EXPECT(memcmp(sent, taken, LENGTH) == 0 && lane.length == LENGTH);
    /* another stream with the same number */
    EXPECT(answered(1, 8, 0, 8, &wanted) == SKYWAY_NO_TRANSFER && lane.length == LENGTH);

    exchange_begin(&lane, NULL, 0);
    /* the answer to it was lost */
    EXPECT(answered(1, LENGTH, FIRST, FIRST, &wanted) == SKYWAY_OK && wanted == 2 * FIRST && !lane.whole);
    EXPECT(answered(2, 0, 0, 0, &wanted) == SKYWAY_OK && wanted == 0 && lane.whole && lane.length == 0);
    EXPECT(answered(3, 0, 0, 0, &wanted) == SKYWAY_NO_TRANSFER);

    request.length = 8;
    response.length = 0;
    EXPECT(exchange_answer(&lane, &request, &response) && response.status == SKYWAY_BAD_BODY);
    request.operation = SKYWAY_DATA;
    EXPECT(!exchange_answer(&lane, &request, &response));
}

/* A wire that gives these bytes, and what the medium makes of them. */
static const uint8_t given[] = {0, 2, 9, 0, 1, 8, 0, 4, 7, 0, 3, 6, 0};
static uint32_t frames_of[MEDIUM_MACHINES];

static int32_t get_given(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait) {
    static bool gone;

    (void)line, (void)wait;
    if (gone || capacity < sizeof given) return 0;
    gone = true;
    memcpy(data, given, sizeof given);
    return sizeof given;
}

static uint32_t ticks;

static uint32_t now(struct hw_skyway_line *line) {
    (void)line;
    return ticks;
}

static void count_frame(struct medium *medium, uint32_t peer) {
    (void)medium;
    frames_of[peer]++;
}

/* Of three machines this is number 1. Frames with its own address, or one that no machine has, are nobody's. */
CASE(addresses) {
    struct hw_skyway_line wire = {.get = get_given, .now = now};
    static struct medium medium;
    uint8_t byte;

    medium_open(&medium, &wire, 1, 3, count_frame);
    while (medium.lines[1].line.get(&medium.lines[1].line, &byte, 1, 0) > 0) continue;
    EXPECT(frames_of[0] == 1 && frames_of[1] == 0 && frames_of[2] == 1 && frames_of[3] == 0);
    EXPECT(medium.lines[1].limit == 0 && medium.lines[0].limit == 3 && medium.lines[0].came[1] == 8);
}

/* A line whose other end, played by the test, never stops sending. Every wait ends all the same. */
enum { PATIENCE = 1000, BYTE_TICKS = 10, MOST_TICKS = 100000 * PATIENCE };

static struct skyway_link link;
static struct packet asked = {.operation = SKYWAY_BEGIN};
static uint8_t plain[PACKET_MAX], frame[FRAME_MAX + 2];
static uint32_t frame_bytes, frame_at, frames_sent, answers;
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
    uint32_t bytes;

    request.operation = 0x7f;
    request.sequence = 9;
    request.length = 0;
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
