/* One machine of three behind a switch whose other two are played by the test: machine 1 answers as a case wants, and
 * machine 2 talks all the time. */
#include <string.h>

#include "../../../../tests/common/cases.h"
#include "packet/body.h"
#include "programs/skyway/exchange.h"
#include "programs/skyway/medium.h"

enum { PATIENCE = 100000, BYTE_TICKS = 10, MOST_TICKS = 100 * PATIENCE };

static struct medium medium;
static struct skyway_link links[MEDIUM_MACHINES];
static struct packet from_us, request;
static struct frame_reader reader;
static uint8_t address, plain[PACKET_MAX], frame[FRAME_MAX + 2], coming[4 * FRAME_MAX];
static uint32_t ticks, coming_at, coming_limit, told_by_2, answered_to_2;
static bool talks;                                  /* whether machine 2 talks all the time */
static void (*take_by_1)(const struct packet *got); /* what machine 1 does with a packet; NULL: it is silent */

/* Puts the frame of a packet from that machine on the wire to this one. */
static void come(uint32_t machine, struct packet *packet) {
    uint32_t bytes = hw_frame_pack(packet, plain, frame);

    if (coming_at == coming_limit) coming_at = coming_limit = 0;
    EXPECT(coming_limit + bytes + 1 <= sizeof coming);
    coming[coming_limit++] = 0;
    coming[coming_limit++] = (uint8_t)(machine + 1);
    memcpy(coming + coming_limit, frame + 1, bytes - 1);
    coming_limit += bytes - 1;
}

static void talk(void) {
    request.sequence = (uint8_t)(++told_by_2);
    request.operation = SKYWAY_BEGIN;
    request.status = request.text = 0;
    request.length = 0;
    come(2, &request);
}

static void took(const struct packet *got) {
    if (address == 3 && got->operation == (SKYWAY_BEGIN | PACKET_RESPONSE)) answered_to_2++;
    if (address == 2 && take_by_1) take_by_1(got);
}

/* The medium puts the zero and the address of a frame first, then the rest. */
static void put(struct hw_skyway_line *line, const uint8_t *data, uint32_t bytes) {
    (void)line;
    ticks += bytes * BYTE_TICKS;
    if (bytes == 2 && data[0] == 0) {
        address = data[1];
        return;
    }
    for (uint32_t i = 0; i < bytes; i++)
        if (hw_frame_read(&reader, data[i], &from_us) == FRAME_PACKET) took(&from_us);
}

static int32_t get(struct hw_skyway_line *line, uint8_t *data, uint32_t capacity, uint32_t wait) {
    uint32_t bytes;

    (void)line;
    if (ticks > MOST_TICKS) return -1; /* a wait without end must not hang the test */
    if (coming_at == coming_limit && wait && talks) talk();
    if (coming_at == coming_limit) {
        ticks += wait;
        return 0;
    }
    bytes = coming_limit - coming_at < capacity ? coming_limit - coming_at : capacity;
    memcpy(data, coming + coming_at, bytes);
    coming_at += bytes;
    ticks += bytes * BYTE_TICKS;
    return (int32_t)bytes;
}

static uint32_t now(struct hw_skyway_line *line) {
    (void)line;
    return ticks;
}

static void arrived(struct medium *on, uint32_t peer) {
    (void)on;
    skyway_link_poll(&links[peer], false);
}

static void begin_machines(void (*take)(const struct packet *got), bool talking) {
    static struct hw_skyway_line wire = {.put = put, .get = get, .now = now, .patience = PATIENCE};

    medium_open(&medium, &wire, 0, 3, arrived);
    for (uint32_t peer = 1; peer < 3; peer++) skyway_link_open(&links[peer], &medium.lines[peer].line);
    ticks = told_by_2 = answered_to_2 = coming_at = coming_limit = 0;
    take_by_1 = take;
    talks = talking;
}

/* Machine 1 is silent. Its line's patience ends, though machine 2 talks for ever and is answered. */
CASE(silent_machine) {
    static struct packet asked = {.operation = SKYWAY_BEGIN};

    begin_machines(NULL, true);
    EXPECT(!skyway_link_call(&links[1], &asked));
    EXPECT(links[1].resent == SKYWAY_TRIES - 1);
    EXPECT(ticks >= SKYWAY_TRIES * PATIENCE && ticks < (SKYWAY_TRIES + 1) * PATIENCE);
    EXPECT(told_by_2 > 100 && answered_to_2 + 1 >= told_by_2);
    /* A poll that does not wait ends, too. */
    talks = false;
    talk();
    EXPECT(skyway_link_poll(&links[1], false) && links[1].heard == 0);
}

static struct exchange lane;
static uint8_t stream[3000], taken[sizeof stream];
static uint32_t refusals, carried, carries; /* refusals: how often machine 1 is still in the previous exchange */

/* Machine 1 never says anything by itself: it waits for machine 2. */
static void take_carry(const struct packet *got) {
    static struct packet response;
    uint32_t offset = word_at(got, 2), bytes = got->length - 12;

    EXPECT(got->operation == SKYWAY_CARRY && word_at(got, 1) == sizeof stream);
    carries++;
    response.sequence = got->sequence;
    response.operation = SKYWAY_CARRY | PACKET_RESPONSE;
    response.status = refusals ? SKYWAY_NO_TRANSFER : SKYWAY_OK;
    response.length = 0;
    append(&response, word_at(got, 0));
    append(&response, offset + bytes);
    if (refusals) {
        refusals--;
    } else {
        EXPECT(offset == carried && offset + bytes <= sizeof taken);
        memcpy(taken + offset, got->body + 12, bytes);
        carried += bytes;
    }
    come(1, &response);
}

static bool sent_after(uint32_t refused, bool talking) {
    begin_machines(take_carry, talking);
    for (uint32_t i = 0; i < sizeof stream; i++) stream[i] = (uint8_t)(i * 7 + i / 256);
    refusals = refused;
    carried = carries = 0;
    memset(&lane, 0, sizeof lane);
    exchange_open(&lane, &links[1], SKYWAY_CARRY_MAX);
    exchange_begin(&lane, NULL, 0);
    return exchange_send(&lane, stream, sizeof stream);
}

/* Machine 1 is in the previous exchange. It is asked again soon, though its line stays silent until then, and machine 2
 * is answered meanwhile. */
CASE(previous_exchange) {
    for (uint32_t talking = 0; talking < 2; talking++) {
        EXPECT(sent_after(0, talking));
        uint32_t at_once = ticks, packets = carries;

        EXPECT(sent_after(5, talking) && carries == packets + 6);
        EXPECT(ticks - at_once < PATIENCE / 4);
        EXPECT(carried == sizeof stream && memcmp(stream, taken, sizeof stream) == 0);
        EXPECT(!talking || (told_by_2 > 5 && answered_to_2 + 1 >= told_by_2));
    }
}

/* Machine 1 never begins the exchange. It is given up in time, and is not asked so often that its line is full. */
CASE(endless_exchange) {
    for (uint32_t talking = 0; talking < 2; talking++) {
        EXPECT(!sent_after(UINT32_MAX, talking) && strcmp(lane.problem, "does not begin the exchange") == 0);
        EXPECT(ticks >= EXCHANGE_WAITS * PATIENCE && ticks < (EXCHANGE_WAITS + 1) * PATIENCE);
        EXPECT(carries > 2 * EXCHANGE_WAITS && carries < 2 * EXCHANGE_WAITS * EXCHANGE_PAUSES_MIN);
    }
    begin_machines(NULL, true);
    exchange_open(&lane, &links[1], SKYWAY_CARRY_MAX);
    exchange_begin(&lane, taken, sizeof taken);
    uint32_t bytes;

    EXPECT(!exchange_receive(&lane, &bytes) && strcmp(lane.problem, "does not answer") == 0);
    EXPECT(ticks >= EXCHANGE_WAITS * PATIENCE && ticks < (EXCHANGE_WAITS + 1) * PATIENCE);
}

/* A stream for which there is no room is no longer waited for, on either side. */
CASE(streams_without_room) {
    static struct packet response;
    uint32_t bytes;

    begin_machines(NULL, false);
    exchange_open(&lane, &links[1], SKYWAY_CARRY_MAX);
    exchange_begin(&lane, taken, 8);
    request.operation = SKYWAY_CARRY;
    request.length = response.length = 0;
    for (uint32_t i = 0; i < 3; i++) append(&request, (const uint32_t[]){1, 9, 0}[i]);
    EXPECT(exchange_answer(&lane, &request, &response) && response.status == SKYWAY_FULL);
    EXPECT(!exchange_receive(&lane, &bytes) && ticks == 0);
    EXPECT(strcmp(lane.problem, "sends a stream for which there is no room") == 0);
    exchange_begin(&lane, NULL, 0);
    EXPECT(!lane.full && !lane.problem);
}
