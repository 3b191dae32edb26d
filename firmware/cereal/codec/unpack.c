#include "cereal/codec/unpack.h"

#include "cereal/codec/format.h"

bool cereal_unpack_ended(const struct cereal_unpacker *unpacker) {
    const uint8_t *packet = unpacker->packet, *at = unpacker->at;
    uint32_t found = 0;

    if (at > packet + 1) {
        found = unpacker->ends >> (at - packet - 1);
        for (packet += HW_CEREAL_PACKET_BYTES; at < packet; at++) found |= *at;
    }
    if (unpacker->limit - packet >= HW_CEREAL_ALIGNMENT) return false;
    for (; packet < unpacker->limit; packet++) found |= *packet;
    return found == 0;
}
