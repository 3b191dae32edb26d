/* Random messages of random types (nanopb_types: from the folder of peers), decoded and encoded again both by nanopb
 * and by hw_pb_decode and hw_pb_encode. The load region holds words: the number of messages, then of each its type, its
 * bytes, and the message padded to words. Prints a line of JSON for each difference, {"case", "encoded", "what"}, and
 * one with counts. */
#include <stdio.h>
#include <string.h>

#include "../../nanopb/host/compare.h"
#include "../../common/expect.h"
#include "protobuf/nanopb/nanopb.h"
#include "nanopb/registry.h"
#include "runtime/regions.h"
#include "units/capability.h"

#define LARGEST 16384u
#define ROOM 65536u
#define ARENA_BYTES (1u << 20)
#define FILL 0xa5

static _Alignas(8) uint8_t by_nanopb[LARGEST], by_unit[LARGEST];
static _Alignas(8) uint8_t tables[65536];
static uint8_t wire[ROOM], again[ROOM];
static struct hw_arena nanopb_memory, unit_memory;
static unsigned differences, accepted, encoded;

static void differ(unsigned number, bool encoding, const char *what) {
    printf("{\"case\":%u,\"encoded\":%s,\"what\":\"%s\"}\n", number, encoding ? "true" : "false", what);
    differences++;
}

static bool same_text(const char *left, const char *right) { return strcmp(left, right) == 0; }

/* Returns whether both accept the input with equal structs. Prints any difference. */
static bool decode(unsigned number, const struct nanopb_type *type, const uint8_t *input, uint32_t length) {
    pb_istream_t left = pb_istream_from_buffer(input, length), right = left;
    char where[200] = "";

    memset(by_nanopb, FILL, type->size);
    memset(by_unit, FILL, type->size);
    hw_arena_reset(&nanopb_memory);
    hw_arena_reset(&unit_memory);
    hw_nanopb_allocate_in(&nanopb_memory);
    bool expected = pb_decode(&left, type->fields, by_nanopb);
    hw_nanopb_allocate_in(&unit_memory);
    bool answer = hw_pb_decode(&right, type->fields, by_unit);

    if (answer != expected)
        differ(number, false, expected ? "refused" : "accepted");
    else if (left.bytes_left != right.bytes_left || (expected && left.state != right.state))
        differ(number, false, "another place");
    else if (!expected && !same_text(PB_GET_ERROR(&left), PB_GET_ERROR(&right)))
        differ(number, false, "another error");
    else if (expected && !same_struct(type->fields, by_nanopb, by_unit, true, where, sizeof(where)))
        differ(number, false, where);
    else
        return expected;
    return false;
}

static void encode(unsigned number, const struct nanopb_type *type) {
    pb_ostream_t left = pb_ostream_from_buffer(wire, ROOM), right = pb_ostream_from_buffer(again, ROOM);
    bool expected = pb_encode(&left, type->fields, by_nanopb), answer = hw_pb_encode(&right, type->fields, by_unit);

    if (answer != expected)
        differ(number, true, expected ? "refused" : "accepted");
    else if (!expected && !same_text(PB_GET_ERROR(&left), PB_GET_ERROR(&right)))
        differ(number, true, "another error");
    else if (left.bytes_written != right.bytes_written || (expected && memcmp(wire, again, left.bytes_written) != 0))
        differ(number, true, "other bytes");
    encoded += expected;
}

static void tell(const char *name, const struct hw_nanopb_counters *counters) {
    printf(",\"%s\":{\"by_unit\":%u,\"software\":%u,\"redone\":%u,\"overruled\":%u}", name, (unsigned)counters->by_unit,
           (unsigned)counters->software, (unsigned)counters->redone, (unsigned)counters->overruled);
}

int main(void) {
    const uint32_t *words = hw_pointer(HW_LOAD_BASE);
    unsigned count = *words++;

    hw_capability_discover();
    hw_nanopb_tables_init(tables, sizeof(tables));
    EXPECT(hw_arena_init(&nanopb_memory, HW_FLEXIBLE_BASE, ARENA_BYTES));
    EXPECT(hw_arena_init(&unit_memory, HW_FLEXIBLE_BASE + ARENA_BYTES, ARENA_BYTES));
    for (unsigned number = 0; number < count; number++) {
        const struct nanopb_type *type = &nanopb_types[*words++];
        uint32_t length = *words++;
        EXPECT(type < nanopb_types + nanopb_type_count && type->size <= LARGEST);
        if (decode(number, type, (const uint8_t *)words, length)) {
            accepted++;
            encode(number, type);
        }
        words += (length + 3) / 4;
    }
    printf("{\"cases\":%u,\"accepted\":%u,\"encoded\":%u,\"differences\":%u", count, accepted, encoded, differences);
    tell("decodes", &hw_nanopb_decodes);
    tell("encodes", &hw_nanopb_encodes);
    printf("}\n");
    return 0;
}
