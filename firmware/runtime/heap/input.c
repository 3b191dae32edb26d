#include "runtime/heap/input.h"

#include "runtime/compiler.h"
#include "runtime/heap/collect.h"
#include "runtime/heap/object.h"
#include "runtime/heap/safepoint.h"

OFTEN hw_ref hw_input_take(uint32_t bytes) {
    hw_ref run;

    hw_safepoint_settle();
    hw_safepoint();
    if (hw_space.options.stress) hw_collect(false);
    run = hw_large_take(bytes);
    return run ? run : hw_collect_for_run(bytes);
}

uint32_t hw_input_extend(hw_ref run, uint32_t bytes) {
    hw_safepoint_settle();
    hw_safepoint();
    if (hw_space.options.stress) hw_collect(false);
    return hw_large_extend(run, bytes);
}

void hw_input_drop(hw_ref run) { hw_large_commit(run, 0); }

/* Range of table words of [start, limit). A run begins and ends at region bounds, so it shares no word with another
 * run. */
static uint32_t first_word(hw_ref start) { return hw_granule(start) / 32; }

static uint32_t words(hw_ref start, hw_ref limit) {
    return start == limit ? 0 : hw_granule(limit - 1) / 32 - first_word(start) + 1;
}

OFTEN void hw_input_begin(hw_ref run, hw_ref limit) {
    uint32_t *ranks = hw_space.ranks + first_word(run);

    for (uint32_t count = words(run, limit); count; count--) *ranks++ = 0;
    hw_starts_clear(run, limit);
}

OFTEN hw_ref hw_input_stray(hw_ref run, hw_ref limit) {
    uint32_t first = first_word(run), count = words(run, limit);
    hw_ref stray = 0;

    const uint32_t *ranks = hw_space.ranks;
    uint32_t *marks = hw_space.marks;

    for (uint32_t word = first; word < first + count; word++) {
        uint32_t bits = ranks[word] & ~marks[word], granule = word * 32;

        marks[word] = 0;
        if (bits == 0 || stray) continue;
        for (; !(bits & 1); bits >>= 1) granule++;
        stray = hw_space.base + (granule << HW_GRANULE_SHIFT);
    }
    return stray;
}

OFTEN void hw_input_publish(hw_ref run, uint32_t bytes, uint32_t buffer) {
    hw_large_hold(run, bytes, buffer);
    /* No object in the run is young. Stores by the program later set cards by the barrier. */
    hw_cards_set(run, run + bytes, HW_CARD_CLEAN);
}

OFTEN uint32_t hw_input_buffer(void) {
    static uint32_t last;

    hw_critical_enter();
    uint32_t buffer = ++last ? last : ++last;
    hw_critical_leave();
    return buffer;
}

void hw_input_free(uint32_t buffer) {
    if (buffer) hw_large_release(buffer);
}
