#include "rpc/packet.h"

#include <string.h>

#include "protobuf/codec/decoder.h"

#define MOST_GROUPS 100 /* within each other, in an unknown field */

enum { TYPE = 1, CHANNEL, SERVICE, METHOD, PAYLOAD, STATUS, CALL };

#define KEY(field, wire) ((field) << 3 | (wire))

bool hw_rpc_packet_read(struct hw_rpc_packet *packet, const uint8_t *bytes, uint32_t length, uint32_t missing) {
    const uint8_t *at = bytes, *end = bytes + length;
    struct decoder decoder = {.input_end = end};
    uint64_t value;
    uint32_t key;

    *packet = (struct hw_rpc_packet){.payload = bytes};
    while (at && at != end) {
        const uint8_t *origin = at;

        if (!(at = read_key(&decoder, at, end, &key))) return false;
        switch (key) {
            case KEY(TYPE, WIRE_VARINT):
            case KEY(CHANNEL, WIRE_VARINT):
            case KEY(STATUS, WIRE_VARINT):
            case KEY(CALL, WIRE_VARINT): {
                uint32_t *to = key >> 3 == TYPE      ? &packet->type
                               : key >> 3 == CHANNEL ? &packet->channel
                               : key >> 3 == STATUS  ? &packet->status
                                                     : &packet->call;

                at = read_varint(&decoder, origin, at, end, &value);
                if (at) *to = (uint32_t)value;
                break;
            }
            case KEY(SERVICE, WIRE_FIXED32):
            case KEY(METHOD, WIRE_FIXED32):
                if (end - at < 4) return false;
                memcpy(key >> 3 == SERVICE ? &packet->service : &packet->method, at, 4);
                at += 4;
                break;
            case KEY(PAYLOAD, WIRE_LENGTH):
                at = read_varint(&decoder, origin, at, end, &value);
                if (!at || value < missing || value - missing > (uint64_t)(end - at)) return false;
                packet->payload = at;
                packet->length = (uint32_t)value - missing;
                at += packet->length;
                break;
            default:
                at = protobuf_skip_value(&decoder, origin, key, at, end, MOST_GROUPS);
        }
    }
    return at != NULL;
}

static uint8_t *varint(uint8_t *to, uint32_t value) {
    for (; value >= 0x80; value >>= 7) *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static uint8_t *numbered(uint8_t *to, uint32_t field, uint32_t value) {
    if (!value) return to;
    *to++ = (uint8_t)KEY(field, WIRE_VARINT);
    return varint(to, value);
}

static uint8_t *fixed(uint8_t *to, uint32_t field, uint32_t value) {
    *to++ = (uint8_t)KEY(field, WIRE_FIXED32);
    memcpy(to, &value, 4);
    return to + 4;
}

uint8_t *hw_rpc_packet_write(const struct hw_rpc_packet *packet, uint8_t *payload) {
    uint8_t head[HW_RPC_HEAD], *end = numbered(head, TYPE, packet->type);

    end = numbered(end, CHANNEL, packet->channel);
    end = fixed(end, SERVICE, packet->service);
    end = fixed(end, METHOD, packet->method);
    end = numbered(end, STATUS, packet->status);
    end = numbered(end, CALL, packet->call);
    if (packet->length) {
        *end++ = (uint8_t)KEY(PAYLOAD, WIRE_LENGTH);
        end = varint(end, packet->length);
    }
    uint32_t bytes = (uint32_t)(end - head);

    return memcpy(payload - bytes, head, bytes);
}
