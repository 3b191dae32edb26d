#include "runtime/heap/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/heap/adopt.h"
#include "runtime/heap/card.h"
#include "runtime/heap/collect.h"
#include "runtime/heap/heap.h"

/* The walker uses the mark bits to note where objects start. */
static struct hw_walk *walk;
static void (*each)(hw_ref object);

static void fail(const char *fault, hw_ref object, hw_ref slot) {
    if (walk->fault) return;
    walk->fault = fault;
    walk->object = object;
    walk->slot = slot;
}

/* Returns the address of the next object at or after `address`. Open buffers and arenas of threads have a hole from top
 * to limit; holes may follow each other. */
static uint32_t behind_hole(uint32_t address) {
    struct hw_thread *thread = hw_thread;

    do {
        const struct hw_arena *arenas[] = {&thread->buffer, &thread->unit.fixed, &thread->unit.flexible};

        for (int i = 0; i < 3; i++)
            if (arenas[i]->top == address && arenas[i]->limit > address) return behind_hole(arenas[i]->limit);
        thread = thread->next;
    } while (thread != hw_thread);
    return address;
}

/* Returns the bytes of a well-formed object that ends at or before `limit`. Returns 0, and notes a fault, for anything
 * else. */
static uint32_t checked_bytes(hw_ref reference, uint32_t limit) {
    const struct hw_array *object = hw_pointer(reference);
    const struct hw_klass *klass = hw_klass_of(object);
    hw_ref at = object->header.klass;

    if ((object->header.mark & HW_OBJECT_MARK_STATE_MASK) != HW_OBJECT_MARK_UNLOCKED)
        return fail("mark word", reference, reference), 0;
    if (at == 0 || at % 4 != 0 || hw_in_heap(at)) return fail("class word", reference, reference + HW_OBJECT_KLASS), 0;
    if (klass->kind > HW_KLASS_KIND_MESSAGE || klass->element_shift > 3 ||
        klass->object_size % HW_OBJECT_ALIGNMENT != 0)
        return fail("klass", reference, at), 0;
    if (klass->object_size == 0 && object->length > (limit - reference) >> klass->element_shift)
        return fail("array length", reference, reference + HW_OBJECT_ARRAY_LENGTH), 0;
    uint32_t bytes = hw_object_bytes(object);

    if (bytes < HW_OBJECT_HEADER_SIZE || bytes > limit - reference) return fail("size", reference, reference), 0;
    return bytes;
}

static void parse(uint32_t start, uint32_t limit) {
    for (uint32_t at = behind_hole(start), bytes; at < limit && !walk->fault; at = behind_hole(at + bytes)) {
        bytes = checked_bytes(at, limit);
        if (bytes == 0) return;
        each(at);
        if (hw_adopt_is_array(hw_pointer(at))) parse(at + HW_OBJECT_ARRAY_ELEMENTS, at + bytes);
    }
}

static void parse_all(void (*visit)(hw_ref object)) {
    const struct hw_arena *spaces[] = {&hw_space.old, &hw_space.eden, &hw_space.survivor[0], &hw_space.survivor[1]};

    each = visit;
    for (int i = 0; i < 4; i++) {
        if (spaces[i]->top > spaces[i]->limit)
            return fail("space: more than it holds", spaces[i]->top, spaces[i]->limit);
        parse(spaces[i]->base, spaces[i]->top);
    }
    hw_large_visit(parse);
}

static void note_start(hw_ref object) {
    uint32_t granule = hw_granule(object);

    hw_space.marks[granule / 32] |= 1u << granule % 32;
    if (!hw_is_filler(hw_pointer(object)) && !hw_adopt_is_array(hw_pointer(object))) {
        walk->objects++;
        walk->bytes += hw_object_bytes(hw_pointer(object));
    }
    if (!hw_in_young(object) && hw_starts_covering(hw_card_of(object)) > object) fail("object start", object, object);
}

static void check_reference(hw_ref *slot, void *context) {
    const hw_ref *owner = context;
    hw_ref at = hw_reference(slot), value = *slot;

    if (value == 0) return;
    if (value % HW_OBJECT_ALIGNMENT != 0) return fail("reference: not aligned", *owner, at);
    if (hw_in_heap(value) && (!hw_is_marked(value) || hw_is_filler(hw_pointer(value))))
        return fail("reference: no object there", *owner, at);
    if (!hw_in_heap(value) && ((const struct hw_object *)hw_pointer(value))->mark != HW_OBJECT_MARK_UNLOCKED)
        return fail("reference: no object outside the heap", *owner, at);
    if (hw_in_heap(*owner) && !hw_in_young(*owner) && hw_in_young(value) &&
        hw_space.cards[hw_card_of(at)] != HW_CARD_DIRTY)
        return fail("card: old to young and not dirty", *owner, at);
}

static void check_object(hw_ref object) { hw_visit_object(hw_pointer(object), check_reference, &object); }

bool hw_heap_walk(struct hw_walk *result) {
    hw_ref none = 0;

    walk = result;
    *walk = (struct hw_walk){0};
    parse_all(note_start);
    if (!walk->fault) parse_all(check_object);
    if (!walk->fault) hw_roots_visit(check_reference, &none);
    memset(hw_space.marks, 0, (hw_granule(hw_space.limit - 1) / 32 + 1) * sizeof *hw_space.marks);
    return walk->fault == NULL;
}

bool hw_heap_each(void (*visit)(hw_ref object)) {
    struct hw_walk result = {0};

    walk = &result;
    parse_all(visit);
    return result.fault == NULL;
}

void hw_heap_verify(const char *when) {
    struct hw_walk result;

    if (hw_heap_walk(&result)) return;
    printf("# heap: %s: %s at %08lx in %08lx\n", when, result.fault, (unsigned long)result.slot,
           (unsigned long)result.object);
    fflush(stdout);
    abort();
}
