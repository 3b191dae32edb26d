/* Young collection: live objects of eden and of one survivor space move to the other survivor space. Objects that are
 * old enough, or that find no room there, move to the old generation.
 *
 * collect.c ensures that the old generation has room for everything young and for one more object (compact.c says why).
 * A young collection therefore cannot fail half-way.
 */
#include "runtime/heap/collect.h"

#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"

/* The survivor space to which objects are copied. */
static struct hw_arena *to;

#define AGE_MASK ((1u << HW_OBJECT_MARK_AGE_WIDTH) - 1)

static inline uint32_t age_of(uint32_t mark) { return mark >> HW_OBJECT_MARK_AGE_BIT & AGE_MASK; }

/* Copies the object unless it has been copied, leaves the new address in its mark word (Cheney's algorithm) and returns
 * it. */
static inline hw_ref evacuate(hw_ref reference) {
    struct hw_object *object = hw_pointer(reference);
    uint32_t mark = object->mark;

    if ((mark & HW_OBJECT_MARK_STATE_MASK) == HW_OBJECT_MARK_FORWARDED) return mark & ~HW_OBJECT_MARK_STATE_MASK;

    uint32_t bytes = hw_object_bytes(object);
    struct hw_arena *target = to;

    if (age_of(mark) >= hw_space.options.tenure || bytes > hw_arena_free(to)) {
        target = &hw_space.old;
        hw_starts_note(target->top, bytes);
    } else {
        mark += 1u << HW_OBJECT_MARK_AGE_BIT;
    }
    hw_ref moved = target->top;
    uint32_t *destination = hw_pointer(moved);
    const uint32_t *source = (const uint32_t *)object;

    target->top = moved + bytes;
    destination[0] = mark;
    destination[1] = source[1];
    for (uint32_t word = 2; word < bytes / 4; word += 2) {
        destination[word] = source[word];
        destination[word + 1] = source[word + 1];
    }
    object->mark = moved | HW_OBJECT_MARK_FORWARDED;
    return moved;
}

static void visit(hw_ref *slot, void *context) {
    (void)context;
    if (hw_in_young(*slot)) *slot = evacuate(*slot);
}

/* Visits a slot of an old object. Returns true if the slot refers to a young object afterwards. */
static bool visit_old(hw_ref *slot) {
    if (!hw_in_young(*slot)) return false;
    *slot = evacuate(*slot);
    return hw_in_young(*slot);
}

static void visit_promoted(hw_ref *slot, void *context) {
    (void)context;
    if (visit_old(slot)) hw_card_table.bias[hw_reference(slot) >> HW_CARD_SHIFT] = HW_CARD_DIRTY;
}

static void visit_large(uint32_t start, uint32_t limit) { hw_cards_visit(start, limit, visit_old); }

static void empty(struct hw_arena *arena) {
    hw_poison(arena->base, arena->top);
    hw_memory_forbid(arena->top, arena->limit);
    hw_arena_reset(arena);
}

void hw_young_collect(void) {
    struct hw_arena *from = &hw_space.survivor[hw_space.from];
    uint32_t promoted = hw_space.old.top;

    to = &hw_space.survivor[1 - hw_space.from];
    uint32_t copied = to->top;

    hw_memory_allow(to->base, to->limit);
    hw_memory_allow(promoted, hw_space.old.limit);

    hw_roots_visit(visit, NULL);
    hw_cards_visit(hw_space.old.base, promoted, visit_old);
    hw_large_visit(visit_large);

    uint32_t first_promoted = promoted;
    while (copied < to->top || promoted < hw_space.old.top) {
        while (copied < to->top) {
            struct hw_object *object = hw_pointer(copied);

            copied += hw_object_bytes(object);
            hw_visit_object(object, visit, NULL);
        }
        while (promoted < hw_space.old.top) {
            struct hw_object *object = hw_pointer(promoted);

            promoted += hw_object_bytes(object);
            hw_visit_object(object, visit_promoted, NULL);
        }
    }
    hw_memory_forbid(to->top, to->limit);
    hw_memory_forbid(promoted, hw_space.old.limit);
    hw_heap_statistics.copied_bytes += hw_arena_used(to);
    hw_heap_statistics.promoted_bytes += promoted - first_promoted;
    empty(&hw_space.eden);
    empty(from);
    hw_space.from = 1 - hw_space.from;
}
