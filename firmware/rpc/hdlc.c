#include "rpc/hdlc.h"

#include <string.h>

#include "runtime/crc32.h"

enum { FLAG = 0x7e, ESCAPE = 0x7d, FLIPPED = 0x20 };
enum { HEAD = 2, CRC = 4 };

/* Of an address of one byte bit 0 says that it ends there. 03: an unnumbered frame of information. */
static const uint8_t head[HEAD] = {HW_RPC_HDLC_ADDRESS << 1 | 1, 0x03};

static void escaped(const struct hw_rpc_hdlc *line, const uint8_t *bytes, uint32_t count) {
    for (const uint8_t *end = bytes + count; bytes != end; bytes++) {
        bool plain = *bytes != FLAG && *bytes != ESCAPE;

        if (!plain) line->put(ESCAPE);
        line->put(plain ? *bytes : *bytes ^ FLIPPED);
    }
}

static void send(struct hw_rpc_link *link, const uint8_t *packet, uint32_t length) {
    const struct hw_rpc_hdlc *line = (const struct hw_rpc_hdlc *)link;
    uint32_t crc = hw_crc32(hw_crc32(0, head, HEAD), packet, length);

    line->put(FLAG);
    escaped(line, head, HEAD);
    escaped(line, packet, length);
    escaped(line, (const uint8_t *)&crc, CRC);
    line->put(FLAG);
}

bool hw_rpc_hdlc_open(struct hw_rpc_hdlc *line, struct hw_rpc_server *server, void *buffer, uint32_t bytes,
                      void (*put)(uint8_t byte)) {
    *line = (struct hw_rpc_hdlc){
        .link = {.send = send, .channels = hw_rpc_default_channel, .channel_count = 1},
        .server = server,
        .put = put,
        .buffer = buffer,
        .room = bytes > 2 * HW_RPC_HDLC_KEPT ? bytes : 0,
    };
    return line->room != 0;
}

/* Makes room in a full buffer. */
static void drop(struct hw_rpc_hdlc *line) {
    uint32_t from = line->dropped ? HW_RPC_HDLC_KEPT : 0, to = line->size - HW_RPC_HDLC_KEPT;

    line->crc = hw_crc32(line->crc, line->buffer + from, to - from);
    memmove(line->buffer + HW_RPC_HDLC_KEPT, line->buffer + to, HW_RPC_HDLC_KEPT);
    line->dropped += to - HW_RPC_HDLC_KEPT;
    line->size = 2 * HW_RPC_HDLC_KEPT;
}

static void end(struct hw_rpc_hdlc *line) {
    uint32_t from = line->dropped ? HW_RPC_HDLC_KEPT : 0, size = line->size - CRC, crc;

    if (line->broken || line->escaped || line->size < HEAD + CRC) {
        line->faults++;
        return;
    }
    memcpy(&crc, line->buffer + size, CRC);
    if (crc != hw_crc32(line->crc, line->buffer + from, size - from))
        line->faults++;
    else if (memcmp(line->buffer, head, HEAD) == 0)
        hw_rpc_take(line->server, &line->link, line->buffer + HEAD, size - HEAD, line->dropped);
}

void hw_rpc_hdlc_take(struct hw_rpc_hdlc *line, uint8_t byte) {
    if (byte == FLAG) {
        if (line->size || line->escaped) end(line);
        line->size = line->dropped = line->crc = 0;
        line->escaped = line->broken = false;
    } else if (byte == ESCAPE) {
        line->broken |= line->escaped;
        line->escaped = true;
    } else if (line->room != 0) {
        if (line->size == line->room) drop(line);
        line->buffer[line->size++] = line->escaped ? byte ^ FLIPPED : byte;
        line->escaped = false;
    }
}
