/* Packets in datagrams, one in each. Every client, an IP address and a port, is a link of its own. */
#ifndef HW_RPC_UDP_H
#define HW_RPC_UDP_H

#include "ethernet/udp.h"
#include "rpc/rpc.h"

/* Clients are remembered while they have open calls: one place more than there can be of these is never taken. */
#define HW_RPC_UDP_PEERS (HW_RPC_CALLS + 1)

struct hw_rpc_udp_peer {
    struct hw_rpc_link link;
    struct hw_rpc_udp *udp;
    struct hw_udp_address address;
};

struct hw_rpc_udp {
    struct hw_rpc_server *server;
    void (*send)(const struct hw_udp_address *to, const uint8_t *data, uint32_t length);
    const uint32_t *channels; /* those of all clients; 1 by default */
    uint32_t channel_count;
    struct hw_rpc_udp_peer *latest; /* from whom the last datagram came */
    struct hw_rpc_udp_peer peers[HW_RPC_UDP_PEERS];
};

/* Makes a server's clients on UDP ready. `send` sends a datagram: hw_udp_send. Of a longer output than HW_UDP_MOST
 * bytes the server then uses no more: a packet that is too long is an error, and no datagram that vanishes. */
void hw_rpc_udp_open(struct hw_rpc_udp *udp, struct hw_rpc_server *server,
                     void (*send)(const struct hw_udp_address *to, const uint8_t *data, uint32_t length));

/* Takes a datagram, in main memory: a packet. */
void hw_rpc_udp_take(struct hw_rpc_udp *udp, const struct hw_udp_address *from, const uint8_t *data, uint32_t length);

#endif
