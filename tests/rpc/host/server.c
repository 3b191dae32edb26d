/* The device on standard input and output: `server SCHEMA`. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../device.h"
#include "memory.h"
#include "rpc/hdlc.h"
#include "runtime/regions.h"

static void put(uint8_t byte) { putchar(byte); }

/* A line whose buffer is too small takes nothing. */
static bool refuses_a_small_buffer(void) {
    static struct hw_rpc_hdlc line;
    static uint8_t around[512];

    if (hw_rpc_hdlc_open(&line, &server, around + 128, 2 * HW_RPC_HDLC_KEPT, put)) return false;
    for (int i = 0; i < 2000; i++) hw_rpc_hdlc_take(&line, 'x');
    for (size_t i = 0; i < sizeof around; i++)
        if (around[i] != 0) return false;
    return true;
}

int main(int count, char **arguments) {
    static struct hw_rpc_hdlc line;
    static uint8_t input[1500], bytes[4096];
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

    if (count != 2 || !refuses_a_small_buffer()) return 2;
    memory_map();
    if (!device_start(hw_pointer(HW_LOAD_BASE), memory_load(arguments[1], HW_LOAD_BASE, 1 << 20))) return 3;
    hw_rpc_hdlc_open(&line, &server, input, sizeof input, put);
    line.link.channels = channels;
    line.link.channel_count = 2;
    for (;;) {
        while (poll(&ready, 1, streams_open() ? 0 : -1) == 1) {
            ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);

            if (got <= 0) return 0;
            for (ssize_t i = 0; i < got; i++) hw_rpc_hdlc_take(&line, bytes[i]);
            fflush(stdout);
        }
        streams_go_on();
        fflush(stdout);
    }
}
