#include "ethernet/udp.h"

#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <libliteeth/udp.h>
#include <string.h>

struct hw_udp_counts hw_udp_counts;

#ifdef CSR_ETHMAC_BASE

#define SLOT_WORDS (ETHMAC_SLOT_SIZE / 4)
#define TX_SLOTS ETHMAC_TX_SLOTS

/* libliteeth looks at single bytes of frames, for each of which the core waits ten cycles in the MAC's slots, and units
 * do not reach the slots. So it is compiled for one slot in each direction, in main memory. The core copies by words,
 * and adds up the datagrams' checksums as it does. */
typedef uint32_t __attribute__((may_alias)) word;
static word slots[2][SLOT_WORDS];

static uint32_t taken; /* bytes of the frame that has come */
static void take_frame(void);
static void put_frame(const word *frame, uint32_t length);

static inline void flush_cpu_dcache(void) {}

static inline bool has_room(void) { return ethmac_sram_reader_ready_read(); }

static inline volatile word *slot_of(uint32_t base, uint32_t slot) {
    return (volatile word *)(base + slot * ETHMAC_SLOT_SIZE);
}

static inline const volatile word *slot_taken(uint32_t *length) {
    *length = ethmac_sram_writer_length_read();
    return slot_of(ETHMAC_RX_BASE, ethmac_sram_writer_slot_read());
}

static inline void slot_release(void) { ethmac_sram_writer_ev_pending_write(ETHMAC_EV_SRAM_WRITER); }

static inline void slot_put(uint32_t slot) {
    ethmac_sram_reader_slot_write(slot);
    ethmac_sram_reader_start_write(1);
}

#undef ETHMAC_BASE
#undef ETHMAC_RX_SLOTS
#undef ETHMAC_TX_SLOTS
#define ETHMAC_BASE ((uintptr_t)slots)
#define ETHMAC_RX_SLOTS 1
#define ETHMAC_TX_SLOTS 1
#define ETH_PHY_NO_RESET
#define ethmac_sram_writer_slot_read() (take_frame(), 0)
#define ethmac_sram_writer_length_read() taken
#define ethmac_sram_writer_ev_pending_write(event) ((void)(event))
#define ethmac_sram_reader_ready_read() true
#define ethmac_sram_reader_slot_write(slot) ((void)(slot))
#define ethmac_sram_reader_start_write(start) put_frame(slots[1], txlen)

#include <libliteeth/udp.c>

#define HEADERS (sizeof(struct ethernet_header) + sizeof(struct udp_frame))
#define FRAGMENT 0x3fffu /* bits of an IP header: more fragments, offset */
/* Halves of words of a datagram's frame. UDP's checksum covers those from SOURCE on, and two numbers. */
enum { IP_HEADER = 7, TOTAL = 8, IP_SUM = 12, SOURCE = 13, TARGET = 15, TARGET_PORT = 18, LENGTH = 19, UDP_SUM = 20 };
#define BLOCK 8u /* words that are taken together, so that the stores wait while the next loads do not */

typedef uint16_t __attribute__((may_alias)) half;

#define PATIENCE (1u << 17) /* readings of the MAC while it sends a frame: more than at 10 Mbit/s */

static uint16_t own_port;
static void (*taker)(const struct hw_udp_address *from, const uint8_t *data, uint32_t length);
static uint32_t sum_taken;             /* of the datagram in slots[0] */
static word outgoing[UDP_SUM / 2 + 1]; /* headers of a datagram that is sent, and its first bytes */

static inline uint32_t added(uint32_t sum, uint32_t more) {
    sum += more;
    return sum + (sum < more);
}

static inline uint32_t folded(uint32_t sum) {
    sum = (sum & 0xffff) + (sum >> 16);
    return (sum & 0xffff) + (sum >> 16);
}

static inline uint32_t blocks_of(uint32_t bytes) { return (bytes + 4 * BLOCK - 1) / (4 * BLOCK); }

/* Copies blocks, at least one, of words that begin `shift` bits behind those at `from`. Returns their sum, in ones'
 * complement. Inlined, for without shifts it is faster. */
static inline __attribute__((always_inline)) uint32_t copy(volatile word *to, const volatile word *from, uint32_t shift,
                                                           uint32_t blocks) {
    uint32_t first = 0, second = 0;

    do {
        uint32_t a = from[0], b = from[1], c = from[2], d = from[3];
        uint32_t e = from[4], f = from[5], g = from[6], h = from[7];

        if (shift != 0) {
            uint32_t next = from[8], left = 32 - shift;

            a = a >> shift | b << left, b = b >> shift | c << left, c = c >> shift | d << left;
            d = d >> shift | e << left, e = e >> shift | f << left, f = f >> shift | g << left;
            g = g >> shift | h << left, h = h >> shift | next << left;
        }
        to[0] = a, to[1] = b, to[2] = c, to[3] = d, to[4] = e, to[5] = f, to[6] = g, to[7] = h;
        first = added(first, a), second = added(second, b), first = added(first, c), second = added(second, d);
        first = added(first, e), second = added(second, f), first = added(first, g), second = added(second, h);
        from += BLOCK, to += BLOCK;
    } while (--blocks);
    return added(first, second);
}

/* Copies bytes from any address into a slot, and loads no word that has none of them. Returns the sum of the words. */
static uint32_t put(volatile word *to, const uint8_t *data, uint32_t length) {
    const word *from = (const word *)((uintptr_t)data & ~3u);
    uint32_t shift = (uintptr_t)data % 4 * 8, blocks = length / (4 * BLOCK);
    uint32_t sum = blocks == 0 ? 0 : shift ? copy(to, from, shift, blocks) : copy(to, from, 0, blocks);

    from += blocks * BLOCK, to += blocks * BLOCK;
    for (int32_t bits = (int32_t)(length % (4 * BLOCK) * 8); bits > 0; bits -= 32) {
        uint32_t next = *from++ >> shift;

        if (bits + (int32_t)shift > 32 && shift != 0) next |= *from << (32 - shift);
        if (bits < 32) next &= (1u << bits) - 1;
        *to++ = next;
        sum = added(sum, next);
    }
    return sum;
}

/* Returns the checksum of a datagram: of what it covers of the frame's first eight words, and of `sum`, of the others.
 */
static uint32_t sum_of_udp(uint32_t sum, const word *frame) {
    sum = added(added(sum, frame[SOURCE / 2] >> 16), frame[SOURCE / 2 + 1]);
    return folded(added(sum, (uint32_t)htons(IP_PROTO_UDP) + ((const half *)frame)[LENGTH]));
}

/* Takes the words behind the byte `end` of the frame from a sum. */
static uint32_t sum_up_to(uint32_t end, uint32_t sum, const word *frame, uint32_t words) {
    if (end % 4) sum = added(sum, ~(frame[end / 4] & ~0u << end % 4 * 8));
    for (uint32_t i = (end + 3) / 4; i < words; i++) sum = added(sum, ~frame[i]);
    return sum;
}

static uint32_t sum_of_ip(const word *frame) {
    uint32_t sum = (frame[IP_HEADER / 2] >> 16) + (frame[TARGET / 2 + 1] & 0xffff);

    for (int i = IP_HEADER / 2 + 1; i <= TARGET / 2; i++) sum = added(sum, frame[i]);
    return folded(sum);
}

/* Whether a frame is for this machine or for all, from one sender: the MAC takes all frames, and libliteeth too. */
static bool is_for_me(const volatile word *frame) {
    uint32_t first = frame[0], second = frame[1], mac[2] = {0, 0};

    memcpy(mac, my_mac, sizeof my_mac);
    return !(second & 1 << 16) &&
           ((first == mac[0] && (second & 0xffff) == mac[1]) || (first == ~0u && (second & 0xffff) == 0xffff));
}

/* Brings the frame that has come to slots[0]. Its slot is free then, so that another frame finds room while this one is
 * looked at. A frame for others is none. */
static void take_frame(void) {
    const volatile word *from = slot_taken(&taken);

    if (!is_for_me(from)) {
        taken = 0;
        slot_release();
        return;
    }
    if (taken > ETHMAC_SLOT_SIZE) taken = ETHMAC_SLOT_SIZE;
    uint32_t blocks = blocks_of(taken > HEADERS ? taken : HEADERS);

    copy(slots[0], from, 0, 1);
    uint32_t sum = copy(slots[0] + BLOCK, from + BLOCK, 0, blocks - 1);
    uint32_t end = HEADERS - sizeof(struct udp_header) + ntohs(((half *)slots[0])[LENGTH]);

    sum_taken = end <= taken ? sum_of_udp(sum_up_to(end, sum, slots[0], blocks * BLOCK), slots[0]) : 0;
    slot_release();
}

/* Returns the MAC's next slot, once it is free; NULL if the MAC does not send. */
static volatile word *free_slot(uint32_t *number) {
    static uint32_t next;

    for (uint32_t i = 0; !has_room(); i++)
        if (i == PATIENCE) {
            hw_udp_counts.dropped++;
            return NULL;
        }
    *number = next;
    next = (next + 1) % TX_SLOTS;
    return slot_of(ETHMAC_TX_BASE, *number);
}

static void put_frame(const word *frame, uint32_t length) {
    uint32_t number;

    volatile word *slot = free_slot(&number);

    if (!slot) return;
    copy(slot, frame, 0, blocks_of(length));
    slot_put(number);
}

bool hw_udp_present(void) { return true; }

/* Whether a datagram is whole, and not too long: libliteeth does not look. */
static bool is_whole(const struct udp_frame *udp, uint32_t length) {
    uint32_t total = ntohs(udp->ip.total_length);

    return length <= HW_UDP_MOST && total + sizeof(struct ethernet_header) <= rxlen && length + sizeof *udp <= total &&
           !(ntohs(udp->ip.fragment_offset) & FRAGMENT) && (udp->udp.checksum == 0 || sum_taken == 0xffff) &&
           sum_of_ip(slots[0]) == 0xffff;
}

/* Whether one machine has sent a frame to this one alone, so that it may be answered. */
static bool is_between_two(const struct ethernet_header *frame, uint32_t ip) {
    uint32_t net = ip >> 24;

    return !(frame->destmac[0] & 1) && net != 0 && net != 127 && net < 224 && ip != my_ip;
}

static void arrived(unsigned int ip, unsigned short port, unsigned short to, void *data, unsigned int length) {
    struct hw_udp_address from = {.ip = ip, .port = port};

    if (to != own_port) return;
    if (!is_between_two(&rxbuffer->frame.eth_header, ip) || !is_whole(&rxbuffer->frame.contents.udp, length)) {
        hw_udp_counts.refused++;
        return;
    }
    hw_udp_counts.taken++;
    memcpy(from.mac, rxbuffer->frame.eth_header.srcmac, sizeof from.mac);
    taker(&from, data, length);
}

/* An ARP request for one's own address, which tells everybody the address. */
static void announce(void) {
    struct arp_frame *arp = &txbuffer->frame.contents.arp;

    fill_eth_header(&txbuffer->frame.eth_header, broadcast, my_mac, ETHERTYPE_ARP);
    *arp = (struct arp_frame){.hwtype = htons(ARP_HWTYPE_ETHERNET),
                              .proto = htons(ARP_PROTO_IP),
                              .hwsize = sizeof my_mac,
                              .protosize = sizeof my_ip,
                              .opcode = htons(ARP_OPCODE_REQUEST),
                              .sender_ip = htonl(my_ip),
                              .target_ip = htonl(my_ip)};
    memcpy(arp->sender_mac, my_mac, sizeof my_mac);
    txlen = ARP_PACKET_LENGTH;
    send_packet();
}

void hw_udp_open(const uint8_t mac[6], uint32_t ip, uint16_t port) {
    struct ethernet_header *frame = (struct ethernet_header *)outgoing;
    struct udp_frame *udp = (struct udp_frame *)(frame + 1);

    own_port = port;
    udp_start(mac, ip);
    udp_set_callback(arrived);
    fill_eth_header(frame, broadcast, my_mac, ETHERTYPE_IP);
    udp->ip = (struct ip_header){.version = IP_IPV4,
                                 .fragment_offset = htons(IP_DONT_FRAGMENT),
                                 .ttl = IP_TTL,
                                 .proto = IP_PROTO_UDP,
                                 .src_ip = htonl(ip)};
    udp->udp.src_port = htons(port);
    announce();
}

bool hw_udp_poll(void (*take)(const struct hw_udp_address *from, const uint8_t *data, uint32_t length)) {
    if (!(ethmac_sram_writer_ev_pending_read() & ETHMAC_EV_SRAM_WRITER)) return false;
    taker = take;
    udp_service();
    return true;
}

/* The data begin in the upper half of the headers' last word. */
void hw_udp_send(const struct hw_udp_address *to, const uint8_t *data, uint32_t length) {
    half *frame = (half *)outgoing;
    uint32_t number, ip = htonl(to->ip), whole = HEADERS + length, first = length < 2 ? length : 2, sum;

    if (length > HW_UDP_MOST) return;
    volatile word *slot = free_slot(&number);

    if (!slot) return;
    memcpy(outgoing, to->mac, sizeof to->mac);
    frame[TOTAL] = htons((uint16_t)(whole - sizeof(struct ethernet_header)));
    frame[TARGET] = (half)ip, frame[TARGET + 1] = (half)(ip >> 16);
    frame[IP_SUM] = 0;
    frame[IP_SUM] = (half)~sum_of_ip(outgoing);
    frame[TARGET_PORT] = htons(to->port);
    frame[LENGTH] = htons((uint16_t)(length + sizeof(struct udp_header)));
    frame[UDP_SUM] = 0;
    frame[UDP_SUM + 1] = (half)((first > 0 ? data[0] : 0) | (first > 1 ? data[1] : 0) << 8);
    sum = put(slot + UDP_SUM / 2 + 1, data + first, length - first);
    for (int i = BLOCK; i <= UDP_SUM / 2; i++) sum = added(sum, outgoing[i]);
    sum = ~sum_of_udp(sum, outgoing) & 0xffff;
    frame[UDP_SUM] = sum ? (half)sum : 0xffff;
    for (int i = 0; i <= UDP_SUM / 2; i++) slot[i] = outgoing[i];
    ethmac_sram_reader_length_write(whole);
    slot_put(number);
}

#else

bool hw_udp_present(void) { return false; }

void hw_udp_open(const uint8_t mac[6], uint32_t ip, uint16_t port) { (void)mac, (void)ip, (void)port; }

bool hw_udp_poll(void (*take)(const struct hw_udp_address *from, const uint8_t *data, uint32_t length)) {
    (void)take;
    return false;
}

void hw_udp_send(const struct hw_udp_address *to, const uint8_t *data, uint32_t length) {
    (void)to, (void)data, (void)length;
}

#endif
