/* The UART is standard input and output. */
#define _POSIX_C_SOURCE 199309L
#include "platform/uart.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "platform/cycles.h"

#define WAIT_MS 1

uint32_t cycles_now(void) {
    const char *faster = getenv("FASTER");
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)(((uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u) *
                      (faster ? strtoul(faster, 0, 10) : 1));
}

void hw_uart_put(uint8_t byte) {
    if (write(STDOUT_FILENO, &byte, 1) != 1) exit(2);
}

bool hw_uart_take(uint8_t *byte) {
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

    if (poll(&ready, 1, WAIT_MS) <= 0) return false;
    if (read(STDIN_FILENO, byte, 1) != 1) exit(3); /* the host has gone */
    return true;
}
