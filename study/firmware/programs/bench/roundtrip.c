/* Suite `core`, group `roundtrip` (roundtrip.h): our accessors, on the engine and on the software codec, in arenas and
 * in the managed heap. */
#include "programs/bench/roundtrip.h"

#include <stdio.h>

#include "demo.heapwire.h"
#include "programs/batch/workload.h"
#include "protobuf/protobuf.h"
#include "runtime/crc32.h"
#include "runtime/heap/heap.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

#define ARENA (8u << 10) /* bytes of an arena */
#define EDEN (32u << 10)
#define KEPT 16u
#define WARM 50u /* messages at least, before and while the collections' cycles are taken */
#define TIMED 150u

_Alignas(64) uint8_t roundtrip_inputs[ROUNDTRIP_INPUTS][ROUNDTRIP_ROOM], roundtrip_output[ROUNDTRIP_ROOM];

void roundtrip_report(const struct roundtrip *message, struct row row, struct timing timing, struct hw_bytes written) {
    row.suite = "core";
    row.name = message->name;
    if (!row.operation) row.operation = "round trip";
    row.cycles = timing.cycles;
    row.cold_cycles = timing.cold_cycles;
    row.instructions = timing.instructions;
    row.wire_bytes = message->length;
    row.digest = written.data ? hw_crc32(0, written.data, written.length) : 0;
    row.ok = written.data && hw_error_clear() == HW_STATUS_OK;
    row_print(&row);
}

static uint32_t seen(struct hw_bytes text) { return roundtrip_seen((const char *)text.data, text.length); }

static bool change(heapwire_demo_MediaContent content) {
    heapwire_demo_Media media = heapwire_demo_MediaContent_mutable_media(content);
    uint32_t images = heapwire_demo_MediaContent_count_image(content);
    uint32_t sum = images + seen(heapwire_demo_Media_get_uri(media)) + (uint32_t)heapwire_demo_Media_get_width(media) +
                   seen(heapwire_demo_Media_get_format(media)) + (uint32_t)heapwire_demo_Media_get_duration(media) +
                   (uint32_t)heapwire_demo_Media_get_bitrate(media) + heapwire_demo_Media_get_player(media) +
                   seen(heapwire_demo_Media_get_person(media, 1));
    bool ok;

    if (images != 0) {
        heapwire_demo_Image image = heapwire_demo_MediaContent_mutable_image(content, images - 1);

        sum += seen(heapwire_demo_Image_get_uri(image)) + (uint32_t)heapwire_demo_Image_get_width(image);
        ok = heapwire_demo_Image_set_height(image, ROUNDTRIP_HEIGHT);
    } else {
        sum += (uint32_t)heapwire_demo_Media_get_height(media) + (uint32_t)heapwire_demo_Media_get_size(media);
        ok = heapwire_demo_Media_set_height(media, ROUNDTRIP_HEIGHT);
    }
    return ok && heapwire_demo_Media_set_bitrate(media, roundtrip_bitrate(sum)) &&
           heapwire_demo_Media_setn_copyright(media, ROUNDTRIP_COPYRIGHT, sizeof ROUNDTRIP_COPYRIGHT - 1);
}

/* Returns a handle on the message, in the caller's scope. */
static hw_handle round_trip(struct hw_protobuf *context, const struct roundtrip *message, struct hw_bytes *written) {
    hw_handle root = NULL;

    if (!hw_protobuf_read(context, message->type, roundtrip_receive(message), message->length, &root) ||
        !change(heapwire_demo_MediaContent_from(root)) ||
        !hw_protobuf_write(context, message->type, root, roundtrip_output, sizeof roundtrip_output, written))
        *written = (struct hw_bytes){0};
    return root;
}

/* Setters take what they need from the arenas, which are emptied for each round. For the software, whose loops fill the
 * instruction cache, they do it by the code that the heap's messages have: its arenas lie in an array of the heap,
 * which does not move, and one more of them is the buffer of the thread. */
static void in_arenas(const struct roundtrip *message, bool by_unit) {
    struct hw_heap_options options = {.base = HW_FIXED_BASE, .bytes = 1u << 20};
    struct hw_protobuf context;
    struct hw_arenas arenas;
    struct hw_arena changes;
    struct hw_bytes written = {0};
    struct timing timing;

    hw_heap_init(&options);
    hw_handle array = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_BYTE_ARRAY]), 3 * ARENA);
    hw_ref base = by_unit ? HW_FLEXIBLE_BASE : hw_reference(hw_array_bytes(array->reference));
    const struct hw_arena of_heap = hw_thread->buffer;

    hw_arena_init(&arenas.flexible, base, ARENA);
    hw_arena_init(&changes, base + ARENA, ARENA);
    hw_arena_init(&arenas.fixed, base + 2 * ARENA, ARENA);
    hw_protobuf_open(&context, &arenas);
    if (!by_unit) hw_protobuf_software_only(&context);
    HW_ARENAS(by_unit ? &arenas : NULL);
    TIME(&timing, ROUNDTRIP_WARM, {
        hw_scope scope = hw_scope_open();

        hw_arena_reset(&arenas.fixed);
        hw_arena_reset(&arenas.flexible);
        if (!by_unit) hw_thread->buffer = changes;
        round_trip(&context, message, &written);
        hw_scope_close(scope);
    });
    hw_thread->buffer = of_heap;
    roundtrip_report(message,
                     (struct row){
                         .engine = by_unit ? "hw-arenas" : "table",
                         .model = "managed",
                         .fallbacks = by_unit ? context.fallbacks : 0,
                     },
                     timing, written);
}

static uint32_t collections(void) { return hw_heap_statistics.young_collections + hw_heap_statistics.full_collections; }

/* The quickest round has no collection. With collections it is as in suite `heap`: the last KEPT messages live, both
 * laps end with a collection, and the second counts, so that its messages bear all of the collections' cost. That takes
 * long, and is done in one layout. */
static void in_heap(const struct roundtrip *message) {
    struct hw_heap_options options = {
        .base = HW_FIXED_BASE, .bytes = 6 * EDEN, .eden_bytes = EDEN, .survivor_bytes = EDEN / 2};
    struct timing quickest = {.cycles = UINT32_MAX};
    struct hw_protobuf context;
    struct hw_bytes written = {0};
    uint32_t next = 0, turns = 0, begin = 0;
    bool ok = true;

    hw_heap_init(&options);
    hw_protobuf_open_heap(&context);
    hw_scope scope = hw_scope_open();
    hw_handle keep = hw_new_array(hw_pointer(hw_registers[HW_REG_KLASS_OBJECT_ARRAY]), KEPT);

    for (int lap = 0; lap < (row_layout() == 0 ? 2 : 1); lap++) {
        uint32_t before = 0;

        hw_heap_statistics = (struct hw_heap_statistics){0};
        begin = cycles_now();
        for (turns = 0; ok && (turns < (lap ? TIMED : WARM) || collections() == before); turns++) {
            hw_scope inner = hw_scope_open();
            uint32_t instructions = instructions_now(), cycles = cycles_now();

            before = collections();
            hw_handle root = round_trip(&context, message, &written);

            cycles = cycles_now() - cycles;
            instructions = instructions_now() - instructions;
            if (cycles < quickest.cycles) quickest = (struct timing){.cycles = cycles, .instructions = instructions};
            hw_set_element(keep, next++ % KEPT, root);
            hw_scope_close(inner);
            ok = written.data != NULL;
        }
    }
    const uint32_t cycles = cycles_now() - begin, messages = turns ? turns : 1;
    const struct hw_heap_statistics *found = &hw_heap_statistics;
    struct row row = {.engine = "hw", .model = "managed", .fallbacks = context.fallbacks};

    hw_scope_close(scope);
    roundtrip_report(message, row, quickest, written);
    if (row_layout() != 0) return;
    row.operation = "round trip/32768/16";
    row.collections = found->young_collections + found->full_collections;
    row.full_collections = found->full_collections;
    row.collecting = (uint32_t)((found->young_cycles + found->full_cycles) / messages);
    roundtrip_report(message, row, (struct timing){.cycles = cycles / messages}, written);
}

int main(void) {
    const struct workload *workload;

    hw_capability_discover();
    workload = workload_open();
    for (uint32_t i = 0; workload && i < workload->count; i++) {
        const struct workload_case *item = &workload->cases[i];
        const struct roundtrip message = {
            .name = workload_at(workload, item->name),
            .type = hw_schema_find(workload_at(workload, item->type)),
            .data = workload_at(workload, item->message),
            .length = item->length,
        };

        in_arenas(&message, true);
        in_arenas(&message, false);
        in_heap(&message);
        roundtrip_upb(&message);
        roundtrip_nanopb(&message);
    }
    return workload ? bench_exit_code() : 2;
}
