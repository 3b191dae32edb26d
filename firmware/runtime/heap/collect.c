#include "runtime/heap/collect.h"

#include "runtime/heap/adopt.h"
#include "runtime/heap/epoch.h"

const hw_status hw_heap_full = HW_STATUS_OUT_OF_MEMORY;

static void count(uint32_t cycles, uint32_t *collections, uint64_t *sum, uint32_t *longest) {
    ++*collections;
    *sum += cycles;
    if (cycles > *longest) *longest = cycles;
}

/* Only a unit builds objects above the threshold in eden; its arenas there have at most their share of eden. */
static uint32_t largest_movable(void) {
    uint32_t share = hw_space.options.eden_bytes / HW_EDEN_SHARE;

    return share > hw_large_threshold() ? share : hw_large_threshold();
}

static void close_buffers(bool full) {
    struct hw_thread *thread = hw_thread;

    do {
        hw_buffer_close(thread);
        hw_adopt_close(thread, full);
        thread = thread->next;
    } while (thread != hw_thread);
}

static void verify(const char *when) {
    if (hw_space.options.verify) hw_space.options.verify(when);
}

hw_ref hw_collect_and_take(bool full, hw_ref (*take)(uint32_t bytes), uint32_t bytes) {
    hw_ref taken = 0;

    hw_safepoint_stop_world();
    uint32_t start = hw_clock();

    full |= hw_young_used() + largest_movable() > hw_arena_free(&hw_space.old);
    close_buffers(full);
    hw_heap_moves++;
    if (full) {
        hw_compact(hw_epoch_restart());
        count(hw_clock() - start, &hw_heap_statistics.full_collections, &hw_heap_statistics.full_cycles,
              &hw_heap_statistics.longest_full);
        verify("after a full collection");
    } else {
        hw_young_collect();
        hw_adopt_notice();
        count(hw_clock() - start, &hw_heap_statistics.young_collections, &hw_heap_statistics.young_cycles,
              &hw_heap_statistics.longest_young);
        verify("after a young collection");
    }
    if (take) taken = take(bytes);
    hw_safepoint_resume_world();
    return taken;
}

hw_ref hw_collect_for_run(uint32_t bytes) {
    return hw_large_could_hold(bytes) ? hw_collect_and_take(true, hw_large_take, bytes) : 0;
}

void hw_collect(bool full) { hw_collect_and_take(full, NULL, 0); }
