/* How an end of an exchange answers packets that are late, doubled, ahead, too long or empty. */
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

static uint32_t no_time(struct hw_skyway_line *line) {
    (void)line;
    return 0;
}

static void count_frame(struct medium *medium, uint32_t peer) {
    (void)medium;
    frames_of[peer]++;
}

/* Of three machines this is number 1. Frames with its own address, or one that no machine has, are nobody's. */
CASE(addresses) {
    struct hw_skyway_line wire = {.get = get_given, .now = no_time};
    static struct medium medium;
    uint8_t byte;

    medium_open(&medium, &wire, 1, 3, count_frame);
    while (medium.lines[1].line.get(&medium.lines[1].line, &byte, 1, 0) > 0) continue;
    EXPECT(frames_of[0] == 1 && frames_of[1] == 0 && frames_of[2] == 1 && frames_of[3] == 0);
    EXPECT(medium.lines[1].limit == 0 && medium.lines[0].limit == 3 && medium.lines[0].came[1] == 8);
}
