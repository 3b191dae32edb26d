/* Mutated messages through the codec: `fuzz BLOB SEEDS COUNT SEED`. SEEDS holds messages (words type and
 * length, then the bytes). Each mutated message must end in a result that can be walked, or in an error that leaves the
 * tops of the heap unchanged. No write may lie outside the arenas. Prints how often each status occurred. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protobuf/codec/codec.h"
#include "memory.h"
#include "runtime/message.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

#define MAX_SEEDS 256
#define STATUSES 64

struct seed {
    uint32_t type, length;
    const uint8_t *bytes;
};

static struct seed seeds[MAX_SEEDS];
static uint32_t seed_count;
static uint64_t state;

static uint32_t dice(uint32_t sides) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % sides;
}

static uint32_t next_word(const uint8_t **at) {
    uint32_t word;

    memcpy(&word, *at, 4);
    *at += 4;
    return word;
}

static void read_seeds(const uint8_t *at, uint32_t size) {
    const uint8_t *end = at + size;

    while (at + 8 <= end && seed_count < MAX_SEEDS) {
        struct seed *seed = &seeds[seed_count++];
        seed->type = next_word(&at);
        seed->length = next_word(&at);
        seed->bytes = at;
        at += seed->length;
    }
}

static const uint8_t interesting[] = {0, 1, 0x07, 0x08, 0x0b, 0x0c, 0x0e, 0x7f, 0x80, 0xff};

/* Returns a mutated copy of the seed, in memory of exactly its length. */
static uint8_t *mutate(const struct seed *seed, uint32_t *length) {
    uint32_t size = seed->length;
    uint8_t *bytes = malloc(size + 64);

    memcpy(bytes, seed->bytes, size);
    for (uint32_t i = dice(6); i > 0; i--) {
        uint32_t at = size ? dice(size) : 0, many = 1 + dice(8);
        switch (size ? dice(6) : 3) {
            case 0:
                bytes[at] ^= (uint8_t)(1u << dice(8));
                break;
            case 1:
                bytes[at] = interesting[dice(sizeof(interesting))];
                break;
            case 2:
                size = at;
                break;
            case 3:
                if (size + many <= seed->length + 60) {
                    memmove(bytes + at + many, bytes + at, size - at);
                    memset(bytes + at, (int)dice(256), many);
                    size += many;
                }
                break;
            case 4:
                many = many > size - at ? size - at : many;
                memmove(bytes + at, bytes + at + many, size - at - many);
                size -= many;
                break;
            default:
                bytes[at] = (uint8_t)dice(256);
        }
    }
    *length = size;
    return realloc(bytes, size ? size : 1);
}

static uint32_t one(void) {
    const struct seed *seed = &seeds[dice(seed_count)];
    uint32_t sizes[2] = {dice(4) ? 8192 : 8 * dice(200), dice(4) ? 8192 : 8 * dice(100)};
    uint32_t bases[2] = {HW_FIXED_BASE + GUARD_BYTES, HW_FLEXIBLE_BASE + GUARD_BYTES};
    struct hw_arenas heap, before;
    uint32_t length;
    uint8_t *message = mutate(seed, &length);

    guard_set(bases[0], sizes[0]);
    guard_set(bases[1], sizes[1]);
    hw_arena_init(&heap.fixed, bases[0], sizes[0]);
    hw_arena_init(&heap.flexible, bases[1], sizes[1]);
    before = heap;
    struct hw_protobuf_codec_object result =
        hw_protobuf_codec_read(hw_schema_type(seed->type), message, length, 1 + dice(100), &heap);

    if (result.status == HW_STATUS_OK) {
        hw_digest(hw_pointer(result.root), hw_schema_type(seed->type));
    } else if (memcmp(&heap, &before, sizeof(heap)) != 0 || result.offset > length) {
        printf("an error moved the heap, or has an offset beyond the input\n");
        exit(3);
    }
    guard_check(bases[0], sizes[0]);
    guard_check(bases[1], sizes[1]);
    free(message);
    return (uint32_t)result.status;
}

int main(int count, char **arguments) {
    static uint32_t ended[STATUSES];

    if (count != 5) return 2;
    memory_map();
    hw_capability_discover();
    uint32_t blob = memory_load(arguments[1], HW_LOAD_BASE, HW_LOAD_BYTES / 2);
    uint32_t seeds_at = HW_LOAD_BASE + HW_LOAD_BYTES / 2;

    if (hw_schema_load(hw_pointer(HW_LOAD_BASE), blob) != HW_SCHEMA_OK) return 4;
    read_seeds(hw_pointer(seeds_at), memory_load(arguments[2], seeds_at, HW_LOAD_BYTES / 2));
    state = strtoull(arguments[4], NULL, 0);
    for (unsigned long i = strtoul(arguments[3], NULL, 0); i > 0; i--) ended[one() % STATUSES]++;
    for (uint32_t i = 0; i < STATUSES; i++)
        if (ended[i]) printf("%u %u\n", i, ended[i]);
    return 0;
}
