#include "programs/skyway/lanes.h"

#include <stdio.h>

#include "platform/link_uart.h"
#include "programs/skyway/exchange.h"
#include "programs/skyway/medium.h"
#include "skyway/registry/registry.h"

#define REGISTRY 0x5eedu
#define FRAME_OVERHEAD 40u /* bytes of a CARRY frame with the address, beside what it carries */

static uint32_t self, machines;
static struct medium medium;
static struct skyway_link links[MEDIUM_MACHINES];
static struct exchange lanes[MEDIUM_MACHINES];

/* Returns what that machine did, with its number if there are several others. Valid until the next call. */
static const char *told(uint32_t peer, const char *problem) {
    static char said[80];

    if (machines == 2)
        snprintf(said, sizeof said, "the other machine %s", problem);
    else
        snprintf(said, sizeof said, "machine %lu %s", (unsigned long)peer, problem);
    return said;
}

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

static const char *send_to(uint32_t peer, const struct shuffle_bytes *out) {
    return exchange_send(&lanes[peer], out->data, out->bytes) ? NULL : told(peer, lanes[peer].problem);
}

static const char *receive_from(uint32_t peer, struct shuffle_bytes *in) {
    return exchange_receive(&lanes[peer], &in->bytes) ? NULL : told(peer, lanes[peer].problem);
}

/* The driver waits for each of the others, and answers their requests meanwhile. Then it lets them go on. Returns NULL,
 * or what went wrong. */
static const char *meet_driver(void) {
    struct shuffle_bytes nothing = {0};
    const char *problem = NULL;

    if (self) {
        exchange_begin(&lanes[0], NULL, 0);
        problem = send_to(0, &nothing);
        return problem ? problem : receive_from(0, &nothing);
    }
    for (uint32_t step = 1; step < machines && !problem; step++) problem = receive_from(other(step), &nothing);
    for (uint32_t step = 1; step < machines && !problem; step++) problem = send_to(other(step), &nothing);
    return problem;
}

const char *lanes_meet(void) {
    if (self == 0) {
        for (uint32_t step = 1; step < machines; step++) exchange_begin(&lanes[other(step)], NULL, 0);
        hw_skyway_drive(REGISTRY, &hw_skyway_java_loader);
    } else if (hw_skyway_join(&links[0], &hw_skyway_java_loader) != 0) {
        return told(0, "does not answer");
    }
    if (hw_skyway_load_java_classes() != 0) return "a class has no number";
    return meet_driver();
}

bool lanes_exchange(struct shuffle *shuffle) {
    const char *problem = NULL;

    shuffle_time(shuffle, SHUFFLE_WRITE);
    for (uint32_t step = 1; step < machines; step++)
        exchange_begin(&lanes[other(step)], shuffle->in[other(step)].data, shuffle->in[other(step)].capacity);
    for (uint32_t step = 1; step < machines && !problem; step++)
        problem = send_to(other(step), &shuffle->out[other(step)]);
    shuffle_time(shuffle, SHUFFLE_READ);
    for (uint32_t step = 1; step < machines && !problem; step++)
        problem = receive_from(other(step), &shuffle->in[other(step)]);
    return !problem || shuffle_fail(shuffle, problem);
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

void lanes_count(uint32_t *resent, uint32_t *damaged) {
    *resent = *damaged = 0;
    for (uint32_t step = 1; step < machines; step++) {
        *resent += links[other(step)].resent;
        *damaged += links[other(step)].damaged;
    }
}
