/* pw_rpc's RpcPacket, read and written where it lies: a payload is never copied. */
#ifndef HW_RPC_PACKET_H
#define HW_RPC_PACKET_H

#include <stdbool.h>
#include <stdint.h>

/* Those of clients are even, those of servers odd. */
enum hw_rpc_packet_type {
    HW_RPC_REQUEST = 0,
    HW_RPC_RESPONSE = 1,
    HW_RPC_CLIENT_MESSAGE = 2,
    HW_RPC_CLIENT_ERROR = 4,
    HW_RPC_SERVER_ERROR = 5,
    HW_RPC_SERVER_MESSAGE = 7,
    HW_RPC_CLIENT_COMPLETION = 8,
};

struct hw_rpc_packet {
    uint32_t type, channel, service, method, call, status;
    const uint8_t *payload;
    uint32_t length; /* of the payload */
};

/* Reads the packet of `length` bytes at `bytes`, in which its payload then points. `missing` bytes of the payload are
 * not there: its link had no room for them. Returns false if the packet is malformed. */
bool hw_rpc_packet_read(struct hw_rpc_packet *packet, const uint8_t *bytes, uint32_t length, uint32_t missing);

/* Most bytes in front of a payload. */
#define HW_RPC_HEAD 36u

/* Writes everything but the payload in front of the payload, of `packet->length` bytes at `payload`. Returns where the
 * packet begins. The order of fields is free; those behind the payload in the schema come before it. */
uint8_t *hw_rpc_packet_write(const struct hw_rpc_packet *packet, uint8_t *payload);

#endif
