/* pw_hdlc's frames on a serial line: 7E, address, control, data, CRC-32, 7E. Within a frame 7D stands before bytes that
 * would end or escape, which have bit 5 flipped. */
#ifndef HW_RPC_HDLC_H
#define HW_RPC_HDLC_H

#include "rpc/rpc.h"

/* The address of RPC packets. Frames of other addresses are not for the server. */
#define HW_RPC_HDLC_ADDRESS 'R'

/* Bytes of a frame that are no packet: address, control, CRC. */
#define HW_RPC_HDLC_MORE 6u

struct hw_rpc_hdlc {
    struct hw_rpc_link link;
    struct hw_rpc_server *server;
    void (*put)(uint8_t byte);
    uint8_t *buffer;
    uint32_t room, size; /* size: bytes of the frame in `buffer` */
    uint32_t dropped;    /* bytes of the frame that were there, behind the first HW_RPC_HDLC_KEPT */
    uint32_t crc;        /* of all bytes up to the dropped ones, these included */
    bool escaped;        /* the byte before was 7D */
    bool broken;         /* the frame has a byte that no frame has */
    uint32_t faults;     /* frames that were dropped as damaged */
};

/* Of a frame that is too long the line keeps as many bytes at its begin, and as many at its end, so that the server can
 * refuse the packet by its call. */
#define HW_RPC_HDLC_KEPT 64u

/* Makes a line of `server` ready, for clients of channel 1 (or others: link.channels). A packet that comes in lies in
 * `buffer`, in main memory, which has HW_RPC_HDLC_MORE bytes more than the longest one. `put` sends a byte. Returns
 * false, and the line takes nothing, if the buffer has not more than twice HW_RPC_HDLC_KEPT bytes. */
bool hw_rpc_hdlc_open(struct hw_rpc_hdlc *line, struct hw_rpc_server *server, void *buffer, uint32_t bytes,
                      void (*put)(uint8_t byte));

/* Takes the next byte of the line. If it ends a packet, the server takes that. */
void hw_rpc_hdlc_take(struct hw_rpc_hdlc *line, uint8_t byte);

#endif
