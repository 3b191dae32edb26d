
#include <string.h>

#include "runtime/compiler.h"
#include "runtime/thread.h"
#include "runtime/heap/card.h"
#include "runtime/heap/collect.h"
#include "runtime/heap/object.h"

static uint32_t region_at(uint32_t index) { return hw_space.large.base + (index << hw_space.region_log); }

static struct hw_region *region_of(hw_ref run) {
    return &hw_space.regions[(run - hw_space.large.base) >> hw_space.region_log];
}

static uint32_t regions_for(uint32_t bytes) {
    return (bytes >> hw_space.region_log) + ((bytes & (hw_space.options.region_bytes - 1)) != 0);
}

bool hw_large_could_hold(uint32_t bytes) { return regions_for(bytes) <= hw_space.region_count; }

static void note_used(uint32_t limit) {
    if (limit > hw_space.region_limit) hw_space.region_limit = limit;
}

static hw_ref first_fit(uint32_t wanted) {
    uint32_t free = 0;

    for (uint32_t i = 0; i < hw_space.region_count;) {
        uint32_t count = hw_space.regions[i].count;

        if (count) {
            free = 0;
            i += count;
            continue;
        }
        free++;
        i++;
        if (free == wanted) {
            hw_space.regions[i - wanted] = (struct hw_region){.count = wanted};
            note_used(i);
            return region_at(i - wanted);
        }
    }
    return 0;
}

OFTEN hw_ref hw_large_take(uint32_t bytes) {
    uint32_t wanted = regions_for(bytes);
    hw_ref run = 0;

    if (wanted == 0 || !hw_large_could_hold(bytes)) return 0;
    hw_critical_enter();
    run = first_fit(wanted);
    hw_critical_leave();
    if (run) hw_memory_allow(run, run + (wanted << hw_space.region_log));
    return run;
}

uint32_t hw_large_extend(hw_ref run, uint32_t bytes) {
    struct hw_region *first = region_of(run), *limit = hw_space.regions + hw_space.region_count;
    uint32_t wanted = regions_for(bytes), had;

    hw_critical_enter();
    had = first->count;
    for (uint32_t count = had; count < wanted; count++)
        if (first + count >= limit || first[count].count) wanted = 0;
    if (wanted > had) {
        first->count = wanted;
        note_used((uint32_t)(first - hw_space.regions) + wanted);
    }
    hw_critical_leave();
    if (wanted > had) hw_memory_allow(run + (had << hw_space.region_log), run + (wanted << hw_space.region_log));
    return wanted << hw_space.region_log;
}

void hw_large_commit(hw_ref run, uint32_t bytes) {
    *region_of(run) = (struct hw_region){.count = regions_for(bytes), .bytes = bytes};
    hw_starts_note_all(run, run + bytes);
    hw_cards_set(run, run + bytes, HW_CARD_DIRTY);
}

OFTEN void hw_large_hold(hw_ref run, uint32_t bytes, uint32_t buffer) {
    *region_of(run) = (struct hw_region){.count = regions_for(bytes), .bytes = bytes, .held = buffer};
}

void hw_large_release(uint32_t buffer) {
    for (uint32_t i = 0; i < hw_space.region_count; i++)
        if (hw_space.regions[i].held == buffer) hw_space.regions[i].held = 0;
}

static void visit_runs(void (*visit)(uint32_t start, uint32_t limit), bool held) {
    for (uint32_t i = 0; i < hw_space.region_limit;) {
        const struct hw_region *region = &hw_space.regions[i];

        if (region->bytes && (region->held || !held)) visit(region_at(i), region_at(i) + region->bytes);
        i += region->count ? region->count : 1;
    }
}

void hw_large_visit(void (*visit)(uint32_t start, uint32_t limit)) { visit_runs(visit, false); }

void hw_large_visit_held(void (*visit)(uint32_t start, uint32_t limit)) { visit_runs(visit, true); }

static void sweep(uint32_t start, uint32_t limit) {
    uint32_t dead = start;

    for (hw_ref object = hw_mark_next(start, limit); object < limit; object = hw_mark_next(dead, limit)) {
        hw_make_filler(dead, object);
        dead = object + hw_object_bytes(hw_pointer(object));
    }
    if (dead == start) {
        *region_of(start) = (struct hw_region){0};
        hw_poison(start, limit);
        return;
    }
    hw_make_filler(dead, limit);
    hw_starts_note_all(start, limit);
}

void hw_large_sweep(void) {
    uint32_t limit = 0;

    hw_large_visit(sweep);
    for (uint32_t i = 0; i < hw_space.region_limit; i++)
        if (hw_space.regions[i].count) limit = i + hw_space.regions[i].count;
    hw_space.region_limit = limit;
}

uint32_t hw_large_used(void) {
    uint32_t regions = 0;

    for (uint32_t i = 0; i < hw_space.region_limit; i++) regions += hw_space.regions[i].count;
    return regions * hw_space.options.region_bytes;
}
