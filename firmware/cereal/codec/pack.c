#include "cereal/codec/pack.h"

#include <string.h>

#include "cereal/codec/format.h"

uint32_t cereal_pack_end(struct cereal_packer *packer, uint8_t *start, bool *room) {
    bool begun = packer->at > packer->packet + 1;
    uint8_t *end = begun ? packer->at : packer->packet;
    uint32_t bytes = cereal_round((uint32_t)(end - start));

    *room = (uint32_t)(packer->limit - start) >= bytes;
    if (!*room) return 0;
    if (begun) packer->packet[0] = (uint8_t)packer->ends;
    memset(end, 0, (size_t)(start + bytes - end));
    return bytes;
}
