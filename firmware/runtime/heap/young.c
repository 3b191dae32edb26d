/* Young collection: live objects of eden and of one survivor space move to the other survivor space. Objects that are
 * old enough, or that find no room there, move to the old generation.
 *
 * collect.c ensures that the old generation has room for everything young and for one more object (compact.c says why).
 * A young collection therefore cannot fail half-way.
 */
#include "runtime/heap/collect.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/compiler.h"
#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"
#include "units/capability.h"

/* The survivor space to which objects are copied. */
static struct hw_arena *to;

/* Slots that refer to young objects, and what they hold. A copy's slots go to the stack while it is made, because a
 * later scan of the copy (Cheney's algorithm) would miss the data cache once more. The last one is followed first. */
#define STACK 128u
static struct {
    hw_ref *slot;
    hw_ref reference;
} stack[STACK];
static uint32_t depth;

/* The last object that was copied while the stack had no room for its slots, and whose copy is to be scanned; 0: none.
 * Where it was, its class word refers to the next such object. */
static hw_ref left;

/* Most references of an object whose bitmap is not a long one. */
#define MOST 31u
#define AGE_MASK ((1u << HW_OBJECT_MARK_AGE_WIDTH) - 1)

static inline uint32_t age_of(uint32_t mark) { return mark >> HW_OBJECT_MARK_AGE_BIT & AGE_MASK; }

static COLD_CALL hw_ref promote(uint32_t bytes) {
    hw_ref moved = hw_space.old.top;

    hw_starts_note(moved, bytes);
    hw_space.old.top = moved + bytes;
    return moved;
}

/* Stores a reference into a slot outside of the young spaces. */
static COLD_CALL void store(hw_ref *slot, hw_ref reference) {
    if (hw_in_young(reference))
        hw_write_message(slot, reference);
    else
        *slot = reference;
}

/* From this size on the copy unit is faster than the core. */
#define LONG_ARRAY 128u

/* Lets the copy unit copy what follows an array's header. Returns false if it has not. */
static __attribute__((noinline)) bool copied_by_unit(uint32_t *destination, const uint32_t *source,
                                                     const uint32_t *end) {
    uint32_t bytes = (uint32_t)(end - destination) * 4;
    int32_t tag;

    if (hw_unit_count(HW_UNIT_COPY) == 0) return false;
    do {
        hw_command_stage(0, hw_reference(source), hw_reference(destination));
        hw_command_stage(1, bytes, 0);
        tag = hw_command_submit(HW_OP_COPY, 0, 0);
    } while (tag == HW_SUBMIT_RETRY);
    if (tag < 0) return false; /* also if the threads that wait hold all tags */
    bool copied = hw_command_finish(tag) == HW_STATUS_OK;

    hw_command_release(tag);
    if (copied) hw_heap_statistics.copied_by_unit += bytes;
    return copied;
}

/* Puts a slot of a copy on the stack if it refers to a young object. Returns the new depth. */
ALWAYS_INLINE uint32_t push(uint32_t at, uint32_t *slot, uint32_t reference, hw_ref young, uint32_t span) {
    if (reference - young >= span) return at;
    stack[at].slot = slot;
    stack[at].reference = reference;
    return at + 1;
}

/* Does for what the unit has promoted what promote and store would have done, but that all of its cards are dirty. */
static COLD_CALL void note_promoted(hw_ref object, hw_ref limit) {
    hw_cards_set(object, limit, HW_CARD_DIRTY);
    for (uint32_t bytes; object != limit; object += bytes) {
        bytes = hw_object_bytes(hw_pointer(object));
        hw_starts_note(object, bytes);
    }
}

/* Lets the evacuation unit empty the stack. Returns false, and has done nothing, if there is no unit, or if the threads
 * that wait hold all tags. */
static __attribute__((noinline)) bool drained_by_unit(void) {
    static _Alignas(8) hw_ref list[STACK];
    int32_t tag;

    if (!hw_unit_for(HW_CAPABLE_EVACUATE) || hw_space.options.software_only) return false;
    for (uint32_t i = 0; i < depth; i++) list[i] = stack[i].reference;
    do {
        tag = hw_command_start(HW_OP_EVACUATE, hw_reference(list), depth | hw_space.options.tenure << 8,
                               hw_space.old.top, hw_space.young, hw_space.large.base, to->top, to->limit, left);
    } while (tag == HW_SUBMIT_RETRY);
    if (tag < 0) return false;
    if (hw_command_finish(tag) != HW_STATUS_OK) {
        fputs("# heap: the evacuation unit met a damaged object\n", stdout);
        fflush(stdout);
        abort();
    }
    hw_ref top = hw_command_result(0, tag), promoted = hw_space.old.top;

    hw_space.old.top = hw_command_result(1, tag);
    left = hw_command_result(2, tag);
    hw_command_release(tag);
    hw_heap_statistics.evacuated_by_unit += top - to->top + hw_space.old.top - promoted;
    to->top = top;
    for (uint32_t i = 0; i < depth; i++)
        if (hw_in_young(hw_reference(stack[i].slot)))
            *stack[i].slot = list[i];
        else
            store(stack[i].slot, list[i]);
    note_promoted(promoted, hw_space.old.top);
    depth = 0;
    return true;
}

/* Empties the stack: copies the objects that have not been copied, leaves the new address in the mark word of each, and
 * stores it into the slots. */
static OFTEN __attribute__((noinline)) void drain(void) {
    if (depth == 0 || drained_by_unit()) return;
    const hw_ref young = hw_space.young, span = hw_space.large.base - young, limit = to->limit;
    const uint32_t tenure = hw_space.options.tenure;
    hw_ref top = to->top;
    uint32_t at = depth;

    while (at) {
        hw_ref *slot = stack[--at].slot, moved;
        uint32_t *source = hw_pointer(stack[at].reference), mark = source[0];

        if ((mark & HW_OBJECT_MARK_STATE_MASK) == HW_OBJECT_MARK_FORWARDED) {
            moved = mark & ~HW_OBJECT_MARK_STATE_MASK;
        } else {
            const struct hw_klass *klass = hw_pointer(source[1]);
            uint32_t bytes = klass->object_size, bits = klass->reference_bitmap;

            if (!bytes) bytes = hw_klass_bytes(klass, ((struct hw_array *)source)->length);
            if (LIKELY(age_of(mark) < tenure && bytes <= limit - top)) {
                mark += 1u << HW_OBJECT_MARK_AGE_BIT;
                moved = top;
                top += bytes;
            } else {
                moved = promote(bytes);
            }

            uint32_t *destination = hw_pointer(moved), *last = hw_pointer(moved + bytes), *from = source;

            destination[0] = mark;
            destination[1] = source[1];
            destination += 2;
            from += 2;
            source[0] = moved | HW_OBJECT_MARK_FORWARDED;
            if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY && ((struct hw_array *)source)->length <= STACK - at) {
                const uint32_t *elements = source + hw_klass_elements(klass) / 4;
                const uint32_t *end = elements + ((struct hw_array *)source)->length;

                while (from < elements) *destination++ = *from++;
                for (; from < end; from++, destination++) {
                    uint32_t element = *from;

                    *destination = element;
                    at = push(at, destination, element, young, span);
                }
                while (destination != last) *destination++ = *from++;
            } else if (UNLIKELY(klass->kind == HW_KLASS_KIND_OBJECT_ARRAY || bits & HW_KLASS_LONG_BITMAP ||
                                (bits && at > STACK - MOST))) {
                source[1] = left;
                left = hw_reference(source);
                bits = 0;
            }
            for (; bits; bits >>= 2, from += 2, destination += 2) {
                uint32_t one = from[0], other = from[1];

                destination[0] = one;
                destination[1] = other;
                if (bits & 1) at = push(at, destination, one, young, span);
                if (bits & 2) at = push(at, destination + 1, other, young, span);
            }
            if (LIKELY((uint32_t)(last - destination) < LONG_ARRAY / 4) || klass->object_size ||
                !copied_by_unit(destination, from, last))
                hw_copy_words(destination, from, last);
        }
        if (LIKELY(hw_reference(slot) - young < span))
            *slot = moved;
        else
            store(slot, moved);
    }
    to->top = top;
    depth = 0;
}

/* Not inlined, since most slots do not come here but through drain. */
static __attribute__((noinline)) void visit(hw_ref *slot, void *context) {
    (void)context;
    if (!hw_in_young(*slot)) return;
    if (depth > STACK - MOST) drain();
    stack[depth].slot = slot;
    stack[depth++].reference = *slot;
}

/* Follows what the roots and the cards have led to. */
static void follow(void) {
    for (drain(); left; drain()) {
        uint32_t *source = hw_pointer(left);

        left = source[1];
        hw_visit_object(hw_pointer(source[0] & ~HW_OBJECT_MARK_STATE_MASK), visit, NULL);
    }
}

static void visit_large(uint32_t start, uint32_t limit) { hw_cards_visit(start, limit, visit); }

static COLD_CALL void empty(struct hw_arena *arena) {
    hw_poison(arena->base, arena->top);
    hw_memory_forbid(arena->top, arena->limit);
    hw_arena_reset(arena);
}

void hw_young_collect(void) {
    struct hw_arena *from = &hw_space.survivor[hw_space.from];
    uint32_t promoted = hw_space.old.top;

    to = &hw_space.survivor[1 - hw_space.from];
    hw_memory_allow(to->base, to->limit);
    hw_memory_allow(promoted, hw_space.old.limit);

    hw_roots_visit(visit, NULL);
    hw_cards_visit(hw_space.old.base, promoted, visit);
    hw_large_visit(visit_large);
    follow();

    hw_memory_forbid(to->top, to->limit);
    hw_memory_forbid(hw_space.old.top, hw_space.old.limit);
    hw_heap_statistics.copied_bytes += hw_arena_used(to);
    hw_heap_statistics.promoted_bytes += hw_space.old.top - promoted;
    empty(&hw_space.eden);
    empty(from);
    hw_space.from = 1 - hw_space.from;
}
