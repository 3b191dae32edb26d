#include "rpc/udp.h"

#include <stddef.h>

static void send(struct hw_rpc_link *link, const uint8_t *packet, uint32_t length) {
    const struct hw_rpc_udp_peer *peer = (const struct hw_rpc_udp_peer *)link;

    peer->udp->send(&peer->address, packet, length);
}

void hw_rpc_udp_open(struct hw_rpc_udp *udp, struct hw_rpc_server *server,
                     void (*sender)(const struct hw_udp_address *to, const uint8_t *data, uint32_t length)) {
    if (server->output_bytes > HW_UDP_MOST) server->output_bytes = HW_UDP_MOST;
    *udp = (struct hw_rpc_udp){
        .server = server, .send = sender, .channels = hw_rpc_default_channel, .channel_count = 1, .latest = udp->peers};
}

static bool is_from(const struct hw_rpc_udp_peer *peer, const struct hw_udp_address *from) {
    return peer->udp && peer->address.ip == from->ip && peer->address.port == from->port;
}

static bool has_calls(const struct hw_rpc_server *server, const struct hw_rpc_udp_peer *peer) {
    for (uint32_t i = 0; i < HW_RPC_CALLS; i++)
        if (server->calls[i].method && server->calls[i].link == &peer->link) return true;
    return false;
}

/* Returns the client's place; the first one without open calls, if it has none. */
static struct hw_rpc_udp_peer *place(struct hw_rpc_udp *udp, const struct hw_udp_address *from) {
    struct hw_rpc_udp_peer *peer = udp->peers;

    for (; peer != udp->peers + HW_RPC_UDP_PEERS; peer++)
        if (is_from(peer, from)) return peer;
    for (peer = udp->peers; has_calls(udp->server, peer); peer++);
    return peer;
}

void hw_rpc_udp_take(struct hw_rpc_udp *udp, const struct hw_udp_address *from, const uint8_t *data, uint32_t length) {
    if (!is_from(udp->latest, from)) udp->latest = place(udp, from);
    *udp->latest = (struct hw_rpc_udp_peer){
        .link = {.send = send, .channels = udp->channels, .channel_count = udp->channel_count},
        .udp = udp,
        .address = *from,
    };
    hw_rpc_take(udp->server, &udp->latest->link, data, length, 0);
}
