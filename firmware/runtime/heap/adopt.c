#include "runtime/heap/adopt.h"

#include <string.h>

#include "runtime/heap/collect.h"

static enum hw_adoption way;

/* The klass of adopted arrays; the walker recognizes them by it. */
static const struct hw_klass array_klass = {.kind = HW_KLASS_KIND_PRIMITIVE_ARRAY};
/* The klass of sentinels: objects without slots. */
static const struct hw_klass sentinel_klass = {.object_size = HW_OBJECT_HEADER_SIZE, .kind = HW_KLASS_KIND_INSTANCE};

#define ARRAY_OVERHEAD (HW_OBJECT_HEADER_SIZE + HW_OBJECT_ARRAY_ELEMENTS)

enum { FIXED, FLEXIBLE, ARENAS };

static struct hw_arena *arena_of(struct hw_thread *thread, int which) {
    return which == FIXED ? &thread->unit.fixed : &thread->unit.flexible;
}

/* Closes an arena. The objects in it stay; unused memory becomes filler or free regions. */
static void close(struct hw_thread *thread, int which) {
    struct hw_arena *arena = arena_of(thread, which);

    if (arena->base == 0) return;
    if (thread->unit_large[which])
        hw_large_commit(arena->base, 0);
    else
        hw_make_filler(arena->top, arena->limit);
    thread->unit_large[which] = false;
    *arena = (struct hw_arena){0};
}

static void forget(struct hw_thread *thread) {
    close(thread, FIXED);
    close(thread, FLEXIBLE);
    thread->sentinel = 0;
}

void hw_adopt_close(struct hw_thread *thread, bool full) {
    if (full || thread->sentinel == 0 || thread->unit_large[FIXED] || thread->unit_large[FLEXIBLE]) forget(thread);
}

static hw_ref run_for(uint32_t bytes) {
    hw_ref run = hw_large_take(bytes);

    if (run) return run;
    return hw_collect_for_run(bytes);
}

/* Takes one chunk of eden for the arenas that lie there: `bytes[i]` bytes each, 0 for an arena that lies elsewhere. */
static bool carve(struct hw_thread *thread, const uint32_t bytes[ARENAS]) {
    uint32_t overhead = way == HW_ADOPT_ARRAY ? ARRAY_OVERHEAD : 0;
    uint32_t inside = bytes[FIXED] + bytes[FLEXIBLE];

    if (inside == 0) return true;
    hw_ref start = hw_eden_take(inside + overhead);

    if (start == 0) return false;
    if (way == HW_ADOPT_ARRAY) {
        struct hw_object *sentinel = hw_pointer(start);
        struct hw_array *array = hw_pointer(start + HW_OBJECT_HEADER_SIZE);

        *sentinel = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_reference(&sentinel_klass)};
        array->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_reference(&array_klass)};
        array->length = inside;
        thread->sentinel = start;
    }
    start += overhead;
    for (int which = FIXED; which < ARENAS; which++) {
        if (bytes[which])
            *arena_of(thread, which) = (struct hw_arena){.base = start, .top = start, .limit = start + bytes[which]};
        start += bytes[which];
    }
    return true;
}

/* Most messages need little of the flexible arena, which shall not take a small eden from the fixed one. */
static uint32_t chunk_for(int which, uint32_t wanted) {
    uint32_t share = which == FIXED ? hw_eden_share() : hw_eden_share() / 4;
    uint32_t usual = hw_space.options.unit_bytes < share ? hw_space.options.unit_bytes : share;

    return hw_object_round(wanted > usual ? wanted : usual);
}

static bool lacks(struct hw_thread *thread, int which, uint32_t wanted) {
    const struct hw_arena *arena = arena_of(thread, which);

    return arena->base == 0 || hw_arena_free(arena) < wanted;
}

/* Gives each arena that lacks room another chunk of eden, if both ought to lie there. Returns false if they ought
 * not, or if eden has no chunk without a collection, which closes both; one of them may have more room then. */
static bool refill(struct hw_thread *thread, const uint32_t wanted[ARENAS]) {
    if (way == HW_ADOPT_ARRAY || hw_space.options.stress) return false;
    for (int which = FIXED; which < ARENAS; which++) {
        if (!lacks(thread, which, wanted[which])) continue;
        if (thread->unit_large[which] || wanted[which] > hw_eden_share()) return false;
        uint32_t bytes = chunk_for(which, wanted[which]), left = hw_arena_free(&hw_space.eden);

        /* The end of eden, if that is worth it. */
        if (bytes > left && left >= bytes / 4 && left >= wanted[which]) bytes = left;
        hw_ref start = hw_eden_try(bytes);

        if (start == 0) return false;
        close(thread, which);
        *arena_of(thread, which) = (struct hw_arena){.base = start, .top = start, .limit = start + bytes};
    }
    return true;
}

static bool replace(struct hw_thread *thread, const uint32_t wanted[ARENAS]) {
    uint32_t in_eden[ARENAS] = {0};
    hw_ref runs[ARENAS] = {0};
    bool room = true;

    forget(thread);
    for (int which = FIXED; which < ARENAS && room; which++) {
        if (wanted[which] <= hw_eden_share())
            in_eden[which] = chunk_for(which, wanted[which]);
        else
            room = wanted[which] <= INT32_MAX && (runs[which] = run_for(hw_object_round(wanted[which]))) != 0;
    }
    /* The array's overhead comes out of its chunk, so that eden holds as many arrays as buffers. */
    if (way == HW_ADOPT_ARRAY && in_eden[FIXED] >= wanted[FIXED] + ARRAY_OVERHEAD) in_eden[FIXED] -= ARRAY_OVERHEAD;
    /* The runs do not belong to the thread yet, so a collection that carve causes leaves them alone. */
    room = room && carve(thread, in_eden);
    for (int which = FIXED; which < ARENAS; which++) {
        if (runs[which] == 0) continue;
        *arena_of(thread, which) = (struct hw_arena){
            .base = runs[which], .top = runs[which], .limit = runs[which] + hw_object_round(wanted[which])};
        thread->unit_large[which] = true;
    }
    if (room) return true;
    forget(thread);
    hw_error_raise(HW_STATUS_OUT_OF_MEMORY);
    return false;
}

bool hw_adopt_room(uint32_t fixed_bytes, uint32_t flexible_bytes) {
    struct hw_thread *thread = hw_thread;
    const uint32_t wanted[ARENAS] = {fixed_bytes, flexible_bytes};

    hw_safepoint_settle();
    hw_safepoint();
    if (hw_space.options.stress) hw_collect(false);
    if (!lacks(thread, FIXED, fixed_bytes) && !lacks(thread, FLEXIBLE, flexible_bytes)) return true;
    return refill(thread, wanted) || replace(thread, wanted);
}

void hw_adopt_drop_large(void) {
    if (hw_thread->unit_large[FIXED] || hw_thread->unit_large[FLEXIBLE]) forget(hw_thread);
}

void hw_adopt_commit_large(void) {
    struct hw_thread *thread = hw_thread;

    for (int which = FIXED; which < ARENAS; which++) {
        struct hw_arena *arena = arena_of(thread, which);

        if (!thread->unit_large[which]) continue;
        hw_large_commit(arena->base, arena->top - arena->base);
        *arena = (struct hw_arena){0};
        thread->unit_large[which] = false;
    }
}

void hw_adopt_way(enum hw_adoption wanted) {
    struct hw_thread *thread = hw_thread;

    hw_safepoint_stop_world();
    way = wanted;
    do {
        forget(thread);
        thread = thread->next;
    } while (thread != hw_thread);
    hw_safepoint_resume_world();
}

void hw_adopt_roots(hw_visit_slot *visit, void *context) {
    struct hw_thread *thread = hw_thread;

    do {
        if (thread->sentinel) visit(&thread->sentinel, context);
        thread = thread->next;
    } while (thread != hw_thread);
}

void hw_adopt_notice(void) {
    const struct hw_arena *eden = &hw_space.eden;
    struct hw_thread *thread = hw_thread;

    do {
        if (thread->sentinel && thread->sentinel - eden->base >= eden->limit - eden->base) {
            thread->unit = (struct hw_arenas){0};
            thread->sentinel = 0;
        }
        thread = thread->next;
    } while (thread != hw_thread);
}

bool hw_adopt_is_array(const void *object) { return hw_klass_of(object) == &array_klass; }

void hw_adopt_reset(void) {
    struct hw_thread *thread = hw_thread;

    do {
        thread->unit = (struct hw_arenas){0};
        memset(thread->unit_large, 0, sizeof thread->unit_large);
        thread->sentinel = 0;
        thread = thread->next;
    } while (thread != hw_thread);
}
