#include "fields.h"

#include <string.h>

#include "platform/cycles.h"
#include "runtime/message.h"
#include "runtime/regions.h"
#include "runtime/schema.h"

#define QUARTER (HW_FLEXIBLE_BYTES / 4)
#define GUARD 64u

const struct workload *workload;
uint32_t cases_done;

static void place_init(struct place *place, uint32_t index) {
    EXPECT(hw_arena_init(&place->heap.fixed, HW_FIXED_BASE + index * QUARTER, QUARTER / 2));
    EXPECT(hw_arena_init(&place->heap.flexible, HW_FIXED_BASE + index * QUARTER + QUARTER / 2, QUARTER / 2));
    place->output = hw_pointer(HW_FLEXIBLE_BASE + index * QUARTER + GUARD);
    place->expected = place->output + QUARTER / 2;
    place->bytes = QUARTER / 2 - 2 * GUARD;
}

void open_places(struct place *mine, struct place *others) {
    hw_capability_discover();
    workload = workload_open();
    EXPECT(workload && hw_fields_present());
    place_init(mine, 0);
    place_init(others, 1);
}

const struct hw_type *case_type(uint32_t index) {
    return hw_schema_find(workload_at(workload, workload->cases[index].type));
}

static const struct hw_fields_type *fields_type(uint32_t index) {
    const struct hw_fields_type *type = hw_fields_find(workload_at(workload, workload->cases[index].type));

    EXPECT(type);
    return type;
}

void check_case(struct place *place, uint32_t index, uint32_t *parse, uint32_t *serialize) {
    const struct workload_case *item = &workload->cases[index];
    const struct hw_type *type = case_type(index);
    const void *input = workload_at(workload, item->message);
    uint32_t start;

    hw_arena_reset(&place->heap.fixed);
    hw_arena_reset(&place->heap.flexible);
    start = cycles_now();
    struct hw_protobuf_codec_object parsed =
        hw_fields_read(fields_type(index), input, item->length, DEPTH, &place->heap);

    *parse = cycles_now() - start;
    EXPECT(parsed.status == HW_STATUS_OK);
    EXPECT(hw_digest(hw_pointer(parsed.root), type) == item->digest);

    uint32_t bound = place->heap.fixed.base, limit = place->heap.flexible.limit;
    struct hw_protobuf_codec_bytes expected =
        hw_protobuf_codec_write(type, parsed.root, DEPTH, place->expected, place->bytes, bound, limit);

    EXPECT(expected.status == HW_STATUS_OK);
    uint32_t size = expected.length + index % 3;

    place->output[-1] = place->output[size] = 0xa5;
    start = cycles_now();
    struct hw_protobuf_codec_bytes output =
        hw_fields_write(fields_type(index), parsed.root, DEPTH, place->output, size, bound, limit);

    *serialize = cycles_now() - start;
    EXPECT(output.status == HW_STATUS_OK && output.length == expected.length &&
           output.start == place->output + index % 3);
    EXPECT(!memcmp(output.start, expected.start, expected.length));
    EXPECT(place->output[-1] == 0xa5 && place->output[size] == 0xa5);
    cases_done++;
}

void check_all(struct place *place) {
    uint32_t parse, serialize;

    for (uint32_t i = 0; i < workload->count; i++) check_case(place, i, &parse, &serialize);
}

void check_failures(struct place *place) {
    uint32_t before = hw_fields_fallbacks, calls = 0;

    for (uint32_t i = 0; i < workload->count && calls < 40; i++) {
        const struct workload_case *item = &workload->cases[i];
        const struct hw_type *type = case_type(i);
        const void *input = workload_at(workload, item->message);

        if (item->length < 2) continue;
        hw_arena_reset(&place->heap.fixed);
        hw_arena_reset(&place->heap.flexible);
        struct hw_arenas again = place->heap;
        struct hw_protobuf_codec_object expected = hw_protobuf_codec_read(type, input, item->length - 1, DEPTH, &again);
        struct hw_protobuf_codec_object found =
            hw_fields_read(fields_type(i), input, item->length - 1, DEPTH, &place->heap);

        EXPECT(found.status == expected.status && found.offset == expected.offset);
        calls += expected.status != HW_STATUS_OK;

        hw_arena_reset(&place->heap.fixed);
        hw_arena_reset(&place->heap.flexible);
        found = hw_protobuf_codec_read(type, input, item->length, DEPTH, &place->heap);
        uint32_t bound = place->heap.fixed.base, limit = place->heap.flexible.limit;
        uint32_t length =
            hw_protobuf_codec_write(type, found.root, DEPTH, place->expected, place->bytes, bound, limit).length;
        if (length == 0) continue;
        struct hw_protobuf_codec_bytes output =
            hw_fields_write(fields_type(i), found.root, DEPTH, place->output, length - 1, bound, limit);

        EXPECT(output.status == HW_STATUS_OUTPUT_FULL && output.length == 0);
        calls++;
        /* A heap that ends before the object does. */
        output = hw_fields_write(fields_type(i), found.root, DEPTH, place->output, place->bytes, bound, found.root + 8);
        EXPECT(output.status == HW_STATUS_BAD_OBJECT);
        calls++;
    }
    EXPECT(calls > 0 && hw_fields_fallbacks - before >= calls);
}

static uint32_t random_below(uint32_t bound) {
    static uint32_t state = 1;

    state = state * 1664525 + 1013904223;
    return (state >> 8) % bound;
}

/* Ends an arena after about `bytes`, with a guard behind. */
static void bound_arena(struct hw_arena *arena, uint32_t bytes) {
    hw_arena_reset(arena);
    arena->limit = arena->base + bytes / 8 * 8;
    memset(hw_pointer(arena->limit), 0xa5, GUARD);
}

static bool guarded(const struct hw_arena *arena) {
    for (uint32_t i = 0; i < GUARD; i++)
        if (((const uint8_t *)hw_pointer(arena->limit))[i] != 0xa5) return false;
    return true;
}

uint32_t check_damage(struct place *place, struct place *other, uint32_t rounds) {
    uint32_t refused = 0;

    for (uint32_t n = 0; n < rounds; n++) {
        uint32_t index = random_below(workload->count), length = workload->cases[index].length;
        const struct hw_type *type = case_type(index);
        uint8_t *input = place->expected;

        if (length == 0 || length > place->bytes) continue;
        memcpy(input, workload_at(workload, workload->cases[index].message), length);
        for (uint32_t i = random_below(3); i > 0; i--) input[random_below(length)] = (uint8_t)random_below(256);
        if (random_below(4) == 0) length = random_below(length);
        struct hw_arenas heap = place->heap, again = other->heap;
        uint32_t fixed = n % 4 ? QUARTER / 4 : random_below(1000), flexible = n % 8 ? QUARTER / 4 : random_below(200);

        bound_arena(&heap.fixed, fixed), bound_arena(&heap.flexible, flexible);
        bound_arena(&again.fixed, fixed), bound_arena(&again.flexible, flexible);
        struct hw_protobuf_codec_object expected = hw_protobuf_codec_read(type, input, length, DEPTH, &again);
        struct hw_protobuf_codec_object found = hw_fields_read(fields_type(index), input, length, DEPTH, &heap);

        EXPECT(found.status == expected.status && found.offset == expected.offset);
        EXPECT(guarded(&heap.fixed) && guarded(&heap.flexible));
        if (found.status == HW_STATUS_OK)
            EXPECT(hw_digest(hw_pointer(found.root), type) == hw_digest(hw_pointer(expected.root), type));
        else
            EXPECT(found.root == 0 && heap.fixed.top == heap.fixed.base && heap.flexible.top == heap.flexible.base);
        refused += found.status != HW_STATUS_OK;
    }
    return refused;
}
