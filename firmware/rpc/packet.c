#include "rpc/packet.h"

#include "protobuf/codec/decoder.h"

#define MOST_GROUPS 100 /* within each other, in an unknown field */

enum { TYPE = 1, CHANNEL, SERVICE, METHOD, PAYLOAD, STATUS, CALL };

#define KEY(field, wire) ((field) << 3 | (wire))

/* Functions that read return the address behind what they read; NULL if it is malformed. */

/* Reads a varint of at most 32 bits. */
static __attribute__((noinline)) const uint8_t *read_long(const uint8_t *at, const uint8_t *end, uint32_t *value) {
    uint32_t sum = 0;

    for (uint32_t shift = 0; at != end && shift < 7 * MAX_VARINT_BYTES; shift += 7) {
        uint32_t byte = *at++;

        if (shift >= 32 ? (byte & 0x7f) != 0 : shift == 28 && (byte & 0x70) != 0) return NULL;
        if (shift < 32) sum |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = sum;
            return at;
        }
    }
    return NULL;
}

/* Reads a number if its key is next. */
static inline const uint8_t *read_number(const uint8_t *at, const uint8_t *end, uint8_t key, uint32_t *value) {
    if (!at || at == end || *at != key) return at;
    if (end - at < 3) return read_long(at + 1, end, value);
    *value = at[1];
    if (at[1] < 0x80) return at + 2;
    *value += (uint32_t)(at[2] - 1) << 7;
    return at[2] < 0x80 ? at + 3 : read_long(at + 1, end, value);
}

static inline const uint8_t *read_fixed(const uint8_t *at, const uint8_t *end, uint8_t key, uint32_t *value) {
    if (!at || at == end || *at != key) return at;
    if (end - at < 5) return NULL;
    *value = (uint32_t)at[1] | (uint32_t)at[2] << 8 | (uint32_t)at[3] << 16 | (uint32_t)at[4] << 24;
    return at + 5;
}

static inline const uint8_t *read_payload(struct hw_rpc_packet *packet, const uint8_t *at, const uint8_t *end,
                                          uint32_t missing) {
    uint32_t length = 0;
    const uint8_t *payload = read_number(at, end, KEY(PAYLOAD, WIRE_LENGTH), &length);

    if (!payload || payload == at) return payload;
    if (length < missing || length - missing > (uint32_t)(end - payload)) return NULL;
    packet->payload = payload;
    packet->length = length - missing;
    return payload + packet->length;
}

/* Skips a field that no packet is known to have. */
static COLD_CALL const uint8_t *skip(const uint8_t *at, const uint8_t *end) {
    struct decoder decoder = {.input_end = end};
    uint32_t key;
    const uint8_t *value = read_key(&decoder, at, end, &key);

    return value ? protobuf_skip_value(&decoder, at, key, value, end, MOST_GROUPS) : NULL;
}

/* The fields mostly come in the order of their numbers: then one round reads all of them. */
bool hw_rpc_packet_read(struct hw_rpc_packet *packet, const uint8_t *bytes, uint32_t length, uint32_t missing) {
    const uint8_t *at = bytes, *end = bytes + length;

    *packet = (struct hw_rpc_packet){.payload = bytes};
    while (at && at != end) {
        const uint8_t *begin = at;

        at = read_number(at, end, KEY(TYPE, WIRE_VARINT), &packet->type);
        at = read_number(at, end, KEY(CHANNEL, WIRE_VARINT), &packet->channel);
        at = read_fixed(at, end, KEY(SERVICE, WIRE_FIXED32), &packet->service);
        at = read_fixed(at, end, KEY(METHOD, WIRE_FIXED32), &packet->method);
        at = read_payload(packet, at, end, missing);
        at = read_number(at, end, KEY(STATUS, WIRE_VARINT), &packet->status);
        at = read_number(at, end, KEY(CALL, WIRE_VARINT), &packet->call);
        if (at == begin) at = skip(at, end);
    }
    return at != NULL;
}

static uint32_t bytes_of(uint32_t value) {
    uint32_t bytes = 1;

    for (; value >= 0x80; value >>= 7) bytes++;
    return bytes;
}

static inline uint8_t *put_varint(uint8_t *to, uint32_t key, uint32_t value) {
    *to++ = (uint8_t)key;
    for (; value >= 0x80; value >>= 7) *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static inline uint8_t *put_fixed(uint8_t *to, uint32_t key, uint32_t value) {
    to[0] = (uint8_t)key;
    to[1] = (uint8_t)value;
    to[2] = (uint8_t)(value >> 8);
    to[3] = (uint8_t)(value >> 16);
    to[4] = (uint8_t)(value >> 24);
    return to + 5;
}

uint8_t *hw_rpc_packet_write(const struct hw_rpc_packet *packet, uint8_t *payload) {
    uint32_t call = packet->call, length = packet->length;
    /* Types and statuses have one byte. */
    uint32_t bytes = 2 + 1 + bytes_of(packet->channel) + 10 + 2 + (call ? 1 + bytes_of(call) : 0);

    if (length) bytes += 1 + bytes_of(length);
    uint8_t *start = payload - bytes, *at = put_varint(start, KEY(TYPE, WIRE_VARINT), packet->type);

    at = put_varint(at, KEY(CHANNEL, WIRE_VARINT), packet->channel);
    at = put_fixed(at, KEY(SERVICE, WIRE_FIXED32), packet->service);
    at = put_fixed(at, KEY(METHOD, WIRE_FIXED32), packet->method);
    at = put_varint(at, KEY(STATUS, WIRE_VARINT), packet->status);
    if (call) at = put_varint(at, KEY(CALL, WIRE_VARINT), call);
    if (length) put_varint(at, KEY(PAYLOAD, WIRE_LENGTH), length);
    return start;
}
