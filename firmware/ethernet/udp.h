/* Datagrams over LiteEth's MAC, by LiteX's libliteeth: one address and one port of one's own, no DHCP, no fragments. It
 * answers ARP requests, and sends to those from whom something has come. On a SoC without a MAC nothing arrives, and
 * what is sent vanishes. */
#ifndef HW_ETHERNET_UDP_H
#define HW_ETHERNET_UDP_H

#include <stdbool.h>
#include <stdint.h>

#define HW_UDP_MOST 1472u /* bytes of a datagram */

#define HW_UDP_IP(a, b, c, d) ((uint32_t)(a) << 24 | (b) << 16 | (c) << 8 | (d))

struct hw_udp_address {
    uint32_t ip;
    uint16_t port;
    uint8_t mac[6]; /* of the neighbour from which it came */
};

/* Counts frames. */
struct hw_udp_counts {
    uint32_t taken;   /* datagrams for this address and port */
    uint32_t refused; /* that are damaged, fragments, too long, for all, or from no single machine's IP address */
    uint32_t dropped; /* not sent, because the MAC did not send those before */
};
extern struct hw_udp_counts hw_udp_counts;

bool hw_udp_present(void);

/* Begins to listen, and says so on the line by an ARP request for its own address. */
void hw_udp_open(const uint8_t mac[6], uint32_t ip, uint16_t port);

/* Takes the next frame that has come, if there is one. If it is a datagram for this address and port, it is passed to
 * `take`: it lies in main memory and lasts until `take` returns. Returns false if there was no frame. */
bool hw_udp_poll(void (*take)(const struct hw_udp_address *from, const uint8_t *data, uint32_t length));

/* Sends a datagram of at most HW_UDP_MOST bytes. If the MAC does not send, it is dropped. */
void hw_udp_send(const struct hw_udp_address *to, const uint8_t *data, uint32_t length);

#endif
