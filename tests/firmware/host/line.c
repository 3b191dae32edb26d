#define _GNU_SOURCE /* the higher rates of termios, the clock */

#include "line.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "generated/soc.h"
#include "platform/cycles.h"
#include "platform/uart.h"

#define WAIT_MS 2
#define SLOWER 4    /* than real time, because the client answers slowly on a busy machine */
#define DAMAGED 400 /* period of damaged bytes above the cable's highest rate */

static uint32_t rate, cable;

void line_open(uint32_t start, uint32_t highest) {
    rate = start;
    cable = highest;
}

static uint32_t rate_of_the_client(void) {
    static const struct {
        speed_t code;
        uint32_t rate;
    } known[] = {{B115200, 115200},   {B230400, 230400},   {B460800, 460800},   {B921600, 921600},
                 {B1000000, 1000000}, {B1500000, 1500000}, {B2000000, 2000000}, {B3000000, 3000000}};
    struct termios settings;

    if (tcgetattr(STDIN_FILENO, &settings) == 0)
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
            if (cfgetospeed(&settings) == known[i].code) return known[i].rate;
    return 0;
}

/* Returns the byte as the other end receives it. */
static uint8_t carried(uint8_t byte) {
    static unsigned long count;

    if (rate && rate_of_the_client() != rate) return byte ^ 0x5a;
    return rate > cable && ++count % DAMAGED == 0 ? byte ^ 0x10 : byte;
}

static uint64_t nanoseconds(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pass_time(void) {
    static uint64_t start;

    start = start ? start : nanoseconds();
    cycles_passed = (uint32_t)((nanoseconds() - start) * (CONFIG_CLOCK_FREQUENCY / 1000000) / 1000 / SLOWER);
}

int line_take(uint8_t *byte) {
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

    if (rate) {
        pass_time();
        if (poll(&ready, 1, WAIT_MS) <= 0) return 0;
    }
    ssize_t got = read(STDIN_FILENO, byte, 1);

    if (got < 0 && errno == EIO) { /* nobody has the terminal's other end open */
        poll(NULL, 0, WAIT_MS);
        return 0;
    }
    if (got != 1) return -1;
    *byte = carried(*byte);
    return 1;
}

void line_put(uint8_t byte) { putchar(carried(byte)); }

uint32_t hw_uart_rate(void) { return rate; }

bool hw_uart_rate_possible(uint32_t wanted) { return wanted >= 1200 && wanted <= 2000000; /* the limit of its clock */ }

void hw_uart_set_rate(uint32_t wanted) {
    fflush(stdout);
    if (rate) tcdrain(STDOUT_FILENO);
    rate = wanted;
}
