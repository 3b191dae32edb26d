#include "cereal/codec/pack.h"

#include <string.h>

#include "cereal/codec/codec.h"

/* An array's item as a sequence of bits: one for the kind, `references` for slots with references, the slots with
 * values, the end bit. */
struct array_item {
    uint32_t references, bits, buckets;
};

static struct array_item array_item(const struct hw_cereal_class *class, uint32_t length) {
    uint32_t slots = cereal_element_slots(length << class->shift);

    return (struct array_item){
        .references = class->kind == HW_KLASS_KIND_OBJECT_ARRAY ? length : 0,
        .bits = slots + 2,
        .buckets = cereal_instance_buckets(slots),
    };
}

/* Returns the 8 bits from bit 8 * index on. */
static uint32_t array_bucket(const struct array_item *item, uint32_t index) {
    uint32_t from = 8 * index, ones = item->references + 1, end = item->bits - 1;
    uint32_t bucket = ones <= from ? 0 : ones - from >= 8 ? 0xff : 0xff & ~(0xffu >> (ones - from));

    return end - from < 8 ? bucket | 0x80u >> (end - from) : bucket;
}

/* Returns how many whole packets, from bucket `first` on, consist of equal buckets, and the value of these buckets. */
static uint32_t alike(const struct array_item *item, uint32_t first, uint32_t *bucket) {
    uint32_t last = (item->references ? item->references + 1 : item->bits - 1) / 8; /* the first bucket that differs */

    *bucket = item->references ? 0xff : 0;
    return first >= 1 && last > first ? (last - first) / HW_CEREAL_PACKET_BUCKETS : 0;
}

/* Writes whole packets of this bucket; none of the buckets is the last of an item. */
static void put_packets(struct cereal_packer *packer, uint32_t packets, uint32_t bucket) {
    uint32_t *word = (uint32_t *)(void *)packer->packet, *end = word + packets * (HW_CEREAL_PACKET_BYTES / 4);

    for (; word != end; word += 2) {
        word[0] = bucket * 0x01010100u;
        word[1] = bucket * 0x01010101u;
    }
    packer->packet = (uint8_t *)word;
    packer->at = packer->packet + 1;
}

static void put_array(struct cereal_packer *packer, const struct array_item *item) {
    for (uint32_t i = 0; i < item->buckets; i++) {
        uint32_t bucket = 0, packets = packer->at == packer->packet + 1 ? alike(item, i, &bucket) : 0;

        if (packets) {
            put_packets(packer, packets, bucket);
            i += packets * HW_CEREAL_PACKET_BUCKETS - 1;
        } else {
            cereal_put_bucket(packer, array_bucket(item, i), i + 1 == item->buckets);
        }
    }
}

bool cereal_put_other_layout(struct cereal_packer *packer, const struct hw_cereal_class *class, uint32_t length) {
    if (class->size) {
        uint32_t buckets = cereal_instance_buckets(class->slots);

        if (!cereal_pack_room(packer, buckets)) return false;
        for (uint32_t i = 0; i < buckets; i++)
            cereal_put_bucket(packer, cereal_instance_bucket(class, i), i + 1 == buckets);
        return true;
    }
    struct array_item item = array_item(class, length);

    if (!cereal_pack_room(packer, item.buckets)) return false;
    put_array(packer, &item);
    return true;
}

static bool match_bucket(struct cereal_unpacker *unpacker, uint32_t wanted, bool wanted_last) {
    bool last;

    return cereal_unpack_sound(unpacker) && cereal_take_bucket(unpacker, &last) == wanted && last == wanted_last;
}

/* Matches whole packets of this bucket; none of the buckets is the last of an item. */
static bool match_packets(struct cereal_unpacker *unpacker, uint32_t packets, uint32_t bucket) {
    const uint32_t *word = (const uint32_t *)(const void *)unpacker->packet,
                   *end = word + packets * (HW_CEREAL_PACKET_BYTES / 4);

    if ((uint32_t)(unpacker->limit - unpacker->packet) / HW_CEREAL_PACKET_BYTES < packets) return false;
    for (; word != end; word += 2)
        if (word[0] != bucket * 0x01010100u || word[1] != bucket * 0x01010101u) return false;
    cereal_unpack_packet(unpacker, (const uint8_t *)word);
    return true;
}

static bool match_array(struct cereal_unpacker *unpacker, const struct array_item *item) {
    for (uint32_t i = 0; i < item->buckets; i++) {
        uint32_t bucket = 0, packets = unpacker->at == unpacker->packet + 1 ? alike(item, i, &bucket) : 0;

        if (packets) {
            if (!match_packets(unpacker, packets, bucket)) return false;
            i += packets * HW_CEREAL_PACKET_BUCKETS - 1;
        } else if (!match_bucket(unpacker, array_bucket(item, i), i + 1 == item->buckets)) {
            return false;
        }
    }
    return true;
}

bool cereal_match_other_layout(struct cereal_unpacker *unpacker, const struct hw_cereal_class *class, uint32_t length) {
    if (class->size) {
        uint32_t buckets = cereal_instance_buckets(class->slots);

        for (uint32_t i = 0; i < buckets; i++)
            if (!match_bucket(unpacker, cereal_instance_bucket(class, i), i + 1 == buckets)) return false;
        return true;
    }
    struct array_item item = array_item(class, length);

    return match_array(unpacker, &item);
}

const uint8_t cereal_leading[256] = {
    8, 7, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

const uint8_t cereal_trailing[256] = {
    8, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 5, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 6, 1, 2, 1, 3,
    1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 5, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 7, 1, 2, 1, 3, 1, 2, 1, 4, 1,
    2, 1, 3, 1, 2, 1, 5, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 6, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2,
    1, 5, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 8, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 5, 1, 2, 1,
    3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 6, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 5, 1, 2, 1, 3, 1, 2, 1, 4,
    1, 2, 1, 3, 1, 2, 1, 7, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 5, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1,
    2, 1, 6, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1, 5, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1,
};

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
