#include "runtime/compiler.h"

#include <string.h>

#include "runtime/heap/adopt.h"
#include "runtime/heap/card.h"
#include "runtime/heap/epoch.h"

struct hw_space hw_space;
struct hw_heap_statistics hw_heap_statistics;
uint32_t hw_heap_moves;

/* Bounds of spaces are multiples of this, and so of cards. */
#define SPACE_ALIGNMENT 1024u
#define MIN_STACK 64u

static uint32_t choose(uint32_t given, uint32_t usual) { return (given ? given : usual) & ~(SPACE_ALIGNMENT - 1); }

static bool fill_in(struct hw_heap_options *options) {
    options->bytes &= ~(SPACE_ALIGNMENT - 1);
    options->eden_bytes = choose(options->eden_bytes, options->bytes / 4);
    options->survivor_bytes = choose(options->survivor_bytes, options->eden_bytes / 4);
    options->large_bytes = choose(options->large_bytes, options->bytes / 8);
    options->region_bytes = options->region_bytes ? options->region_bytes : 16384;
    options->buffer_bytes = hw_object_round(options->buffer_bytes ? options->buffer_bytes : 2048);
    uint32_t unit_bytes = options->eden_bytes / 64 > 8192 ? options->eden_bytes / 64 : 8192;

    options->unit_bytes = hw_object_round(options->unit_bytes ? options->unit_bytes : unit_bytes);
    options->tenure = options->tenure ? options->tenure : 4;
    return options->base && options->base % SPACE_ALIGNMENT == 0 && options->bytes <= UINT32_MAX - options->base &&
           options->eden_bytes && options->survivor_bytes && options->tenure < 1u << HW_OBJECT_MARK_AGE_WIDTH &&
           options->region_bytes >= SPACE_ALIGNMENT && (options->region_bytes & (options->region_bytes - 1)) == 0 &&
           options->buffer_bytes <= options->eden_bytes;
}

/* Takes `bytes` bytes from the end of the heap's memory, and clears them. */
static void *table(uint32_t *end, uint32_t bytes) {
    *end = (*end - bytes) & ~7u;
    memset(hw_pointer(*end), 0, bytes);
    return hw_pointer(*end);
}

static struct hw_arena space(uint32_t *start, uint32_t bytes) {
    struct hw_arena arena = {.base = *start, .top = *start, .limit = *start + bytes};

    *start += bytes;
    return arena;
}

static void forget_threads(void) {
    struct hw_thread *thread = hw_thread;

    do {
        thread->buffer = (struct hw_arena){0};
        thread->handles.more = 0; /* it lay in the heap of before */
        hw_handles_drop(thread);
        thread->error = (struct hw_error){0};
        thread = thread->next;
    } while (thread != hw_thread);
    memset(hw_globals, 0, sizeof hw_globals);
    hw_adopt_reset();
    hw_root_ranges_reset();
}

bool hw_heap_init(const struct hw_heap_options *given) {
    struct hw_heap_options options = *given;

    if (!fill_in(&options)) return false;
    uint32_t end = options.base + options.bytes;
    uint32_t granules = options.bytes >> HW_GRANULE_SHIFT, cards = options.bytes >> HW_CARD_SHIFT;
    uint32_t words = granules / 32 + 1;
    uint32_t stack = options.bytes / 1024 > MIN_STACK ? options.bytes / 1024 : MIN_STACK;
    uint32_t regions = options.large_bytes / options.region_bytes;
    uint64_t tables =
        2 * 4ull * words + 2ull * (cards + 8) + 4ull * stack + sizeof(struct hw_region) * (regions + 1ull) + 64;
    uint64_t young = (uint64_t)options.eden_bytes + 2ull * options.survivor_bytes;

    if (tables + young + options.large_bytes + 2 * SPACE_ALIGNMENT > options.bytes) return false;
    hw_memory_allow(options.base, end);
    hw_space =
        (struct hw_space){.options = options, .base = options.base, .stack_size = stack, .region_count = regions};
    while (1u << hw_space.region_log != options.region_bytes) hw_space.region_log++;
    hw_space.marks = table(&end, 4 * words);
    hw_space.ranks = table(&end, 4 * words);
    hw_space.cards = table(&end, cards + 4);
    hw_space.starts = table(&end, cards + 4);
    hw_space.stack = table(&end, 4 * stack);
    hw_space.regions = table(&end, sizeof(struct hw_region) * (regions + 1));
    end &= ~(SPACE_ALIGNMENT - 1);

    uint32_t start = options.base;

    hw_space.old = space(&start, end - start - (uint32_t)young - options.large_bytes);
    hw_space.eden = space(&start, options.eden_bytes);
    hw_space.survivor[0] = space(&start, options.survivor_bytes);
    hw_space.survivor[1] = space(&start, options.survivor_bytes);
    hw_space.large = space(&start, options.large_bytes);
    hw_space.young = hw_space.eden.base;
    hw_space.limit = start;
    hw_card_table.first = hw_space.base >> HW_CARD_SHIFT;
    hw_card_table.count = (hw_space.limit >> HW_CARD_SHIFT) - hw_card_table.first;
    hw_card_table.bias = (uint8_t *)((uintptr_t)hw_space.cards - hw_card_table.first);

    hw_cards_set(hw_space.base, hw_space.limit, HW_CARD_CLEAN);
    hw_starts_clear(hw_space.base, hw_space.limit);
    hw_epoch_reset(1);
    hw_safepoint_requested = options.stress ? HW_SAFEPOINT_STRESS : 0;
    forget_threads();
    hw_heap_statistics = (struct hw_heap_statistics){0};
    hw_heap_moves++;
    return true;
}

uint32_t hw_heap_used(void) {
    return hw_arena_used(&hw_space.old) + hw_arena_used(&hw_space.eden) +
           hw_arena_used(&hw_space.survivor[hw_space.from]) + hw_large_used();
}

OFTEN void hw_heap_bounds(uint32_t *bound, uint32_t *limit) {
    *bound = hw_space.base;
    *limit = hw_space.limit;
}
