#include "programs/skyway/lanes.h"

#include "platform/link_uart.h"
#include "programs/skyway/exchange.h"
#include "programs/skyway/medium.h"
#include "skyway/registry/driver.h"
#include "skyway/registry/java_loader.h"
#include "skyway/registry/worker.h"

#define REGISTRY 0x5eedu
#define FRAME_OVERHEAD 40u /* bytes of a CARRY frame with the address, beside what it carries */

static uint32_t self, machines;
static struct medium medium;
static struct skyway_link links[MEDIUM_MACHINES];
static struct exchange lanes[MEDIUM_MACHINES];

static const char silent[] = "the other machine does not answer";

static void serve(struct skyway_link *link, const struct packet *request, struct packet *response) {
    if (!skyway_driver_answer(request, response)) exchange_answer(&lanes[link - links], request, response);
}

static void arrived(struct medium *on, uint32_t peer) {
    (void)on;
    skyway_link_poll(&links[peer], false);
}

/* Returns the other machine that is `step` places behind this one. In each step every machine sends to one and receives
 * from one. */
static uint32_t other(uint32_t step) { return (self + step) % machines; }

/* Returns how many bytes a packet carries: while this machine computes, its UART has to keep one from each other. */
static uint32_t part_bytes(void) {
    return machines == 2 ? SKYWAY_CARRY_MAX : (HW_LINK_UART_BYTES / (machines - 1) - FRAME_OVERHEAD) & ~7u;
}

void lanes_open(struct hw_skyway_line *wire, uint32_t worker, uint32_t workers) {
    self = worker;
    machines = workers;
    medium_open(&medium, wire, worker, workers, arrived);
    for (uint32_t step = 1; step < machines; step++) {
        uint32_t peer = other(step);

        skyway_link_open(&links[peer], machines == 2 ? wire : &medium.lines[peer].line);
        links[peer].serve = serve;
        exchange_open(&lanes[peer], &links[peer], part_bytes());
    }
}

/* The driver waits for each of the others, and answers their requests meanwhile. Then it lets them go on. */
static bool meet_driver(void) {
    uint32_t bytes;
    bool met = true;

    if (self) {
        exchange_begin(&lanes[0], NULL, 0);
        return exchange_send(&lanes[0], NULL, 0) && exchange_receive(&lanes[0], &bytes);
    }
    for (uint32_t step = 1; step < machines && met; step++) met = exchange_receive(&lanes[other(step)], &bytes);
    for (uint32_t step = 1; step < machines && met; step++) met = exchange_send(&lanes[other(step)], NULL, 0);
    return met;
}

const char *lanes_meet(void) {
    if (self == 0) {
        for (uint32_t step = 1; step < machines; step++) exchange_begin(&lanes[other(step)], NULL, 0);
        hw_skyway_drive(REGISTRY, &hw_skyway_java_loader);
    } else if (hw_skyway_join(&links[0], &hw_skyway_java_loader) != 0) {
        return silent;
    }
    if (hw_skyway_load_java_classes() != 0) return "a class has no number";
    return meet_driver() ? NULL : silent;
}

bool lanes_exchange(struct shuffle *shuffle) {
    bool good = true;

    shuffle_time(shuffle, SHUFFLE_WRITE);
    for (uint32_t step = 1; step < machines; step++)
        exchange_begin(&lanes[other(step)], shuffle->in[other(step)].data, shuffle->in[other(step)].capacity);
    for (uint32_t step = 1; step < machines && good; step++)
        good = exchange_send(&lanes[other(step)], shuffle->out[other(step)].data, shuffle->out[other(step)].bytes);
    shuffle_time(shuffle, SHUFFLE_READ);
    for (uint32_t step = 1; step < machines && good; step++)
        good = exchange_receive(&lanes[other(step)], &shuffle->in[other(step)].bytes);
    return good || shuffle_fail(shuffle, "the other machine does not answer, or has no room");
}

void lanes_linger(uint32_t patience) {
    uint32_t before, heard = 0;

    do {
        before = heard;
        heard = 0;
        skyway_link_wait(&links[other(1)], patience);
        for (uint32_t step = 1; step < machines; step++) heard += links[other(step)].heard;
    } while (heard != before);
}

uint32_t lanes_resent(void) {
    uint32_t sum = 0;

    for (uint32_t step = 1; step < machines; step++) sum += links[other(step)].resent;
    return sum;
}

uint32_t lanes_damaged(void) {
    uint32_t sum = 0;

    for (uint32_t step = 1; step < machines; step++) sum += links[other(step)].damaged;
    return sum;
}
