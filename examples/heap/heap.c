/* Messages in the collected heap: the unit reads 500 of them into 8 KB of eden, and the collector keeps what the
 * program still refers to. */
#include <stdio.h>

#include "events.heapwire.h"
#include "programs/program.h"
#include "runtime/regions.h"

#define ROUNDS 500
#define KEPT 8
#define STEP (ROUNDS / KEPT)

/* A table of plain references in C memory. Declared as a range of roots, its objects live, and its words follow them
 * when they move; the collector would not know of it otherwise. */
static hw_ref kept[KEPT];
static uint32_t places[KEPT], hashes[KEPT]; /* where the objects lay at first, and what never changes */
static struct hw_root_range range = {.base = kept, .count = KEPT};

static bool start(void) {
    struct hw_heap_options options = {
        .base = HW_FIXED_BASE, .bytes = 64u << 10, .eden_bytes = 8u << 10, .unit_bytes = 1024};

    if (!hw_start_heap(&options)) return false;
    hw_root_range_add(&range);
    return true;
}

static bool is_event(hw_handle handle, uint32_t number) {
    events_Event event = events_Event_from(handle);

    return events_Event_get_number(event) == number && events_Event_get_text(event).length == 11 &&
           events_Event_count_tags(event) == 2;
}

int main(void) {
    hw_handle last = NULL;
    uint32_t at = 0, moved = 0, right = 0;

    if (!start()) return 1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        HW_SCOPE; /* its end frees the handle; the collector, some day, the rest */
        events_Event event = events_Event_read(program_input, program_input_length);

        if (!events_Event_set_number(event, round)) return 2;
        if (at < KEPT && round == at * STEP) {
            kept[at] = places[at] = event.handle->reference;
            hashes[at++] = hw_identity_hash(event.handle);
        }
        if (round == ROUNDS - 1) last = hw_global_new(event.handle); /* lives until hw_global_drop */
    }
    hw_collect(true); /* a full one; the young ones came by themselves, whenever eden was full */
    for (uint32_t i = 0; i < KEPT; i++) {
        HW_SCOPE;
        hw_handle handle = hw_handle_new(kept[i]);

        right += is_event(handle, i * STEP) && hw_identity_hash(handle) == hashes[i];
        moved += kept[i] != places[i];
    }
    printf("%u messages: %lu young and %lu full collections, %lu bytes live\n", ROUNDS,
           (unsigned long)hw_heap_statistics.young_collections, (unsigned long)hw_heap_statistics.full_collections,
           (unsigned long)hw_heap_statistics.live_bytes);
    printf("%lu of %u kept messages moved, %lu are right, the last one %s\n", (unsigned long)moved, KEPT,
           (unsigned long)right, is_event(last, ROUNDS - 1) ? "too" : "not");
    hw_root_range_remove(&range);
    hw_global_drop(last);
    hw_collect(true); /* a full one again, as only that looks at the old generation */
    printf("%lu bytes live when nothing is kept\n", (unsigned long)hw_heap_statistics.live_bytes);
    return 0;
}
