/* The device on standard input and output, by bytes: `server SCHEMA`, or by datagrams: `server SCHEMA datagrams`.
 * Before a datagram's data stands a byte, its client's number. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../device.h"
#include "memory.h"
#include "rpc/hdlc.h"
#include "rpc/udp.h"
#include "runtime/regions.h"

static void put(uint8_t byte) { putchar(byte); }

/* A line whose buffer is too small takes nothing. */
static bool refuses_a_small_buffer(void) {
    static struct hw_rpc_hdlc small;
    static uint8_t around[512];

    if (hw_rpc_hdlc_open(&small, &server, around + 128, 2 * HW_RPC_HDLC_KEPT, put)) return false;
    for (int i = 0; i < 2000; i++) hw_rpc_hdlc_take(&small, 'x');
    for (size_t i = 0; i < sizeof around; i++)
        if (around[i] != 0) return false;
    return true;
}

static struct hw_rpc_hdlc line;
static struct hw_rpc_udp clients;

static void take_bytes(const uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) hw_rpc_hdlc_take(&line, bytes[i]);
    fflush(stdout);
}

static void send_datagram(const struct hw_udp_address *to, const uint8_t *data, uint32_t length) {
    const struct iovec parts[2] = {{&(uint8_t){(uint8_t)to->port}, 1}, {(void *)(uintptr_t)data, length}};

    if (writev(STDOUT_FILENO, parts, 2) != (ssize_t)length + 1) abort();
}

/* In memory of its own, whose end ASan guards. */
static void take_datagram(const uint8_t *bytes, uint32_t count) {
    const struct hw_udp_address client = {.ip = 1, .port = bytes[0]};
    uint8_t *copy = memcpy(malloc(count), bytes + 1, count - 1);

    hw_rpc_udp_take(&clients, &client, copy, count - 1);
    free(copy);
}

int main(int count, char **arguments) {
    static uint8_t input[1500], bytes[4096];
    void (*take)(const uint8_t *bytes, uint32_t count) = count == 3 ? take_datagram : take_bytes;
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

    if (count < 2 || !refuses_a_small_buffer()) return 2;
    memory_map();
    if (!device_start(hw_pointer(HW_LOAD_BASE), memory_load(arguments[1], HW_LOAD_BASE, 1 << 20))) return 3;
    hw_rpc_hdlc_open(&line, &server, input, sizeof input, put);
    if (count == 3) hw_rpc_udp_open(&clients, &server, send_datagram);
    line.link.channels = clients.channels = channels;
    line.link.channel_count = clients.channel_count = 2;
    for (;;) {
        while (poll(&ready, 1, streams_open() ? 0 : -1) == 1) {
            ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);

            if (got < 0 || (got == 0 && ready.revents & POLLHUP)) return 0;
            take(bytes, (uint32_t)got);
        }
        streams_go_on();
        fflush(stdout);
    }
}
