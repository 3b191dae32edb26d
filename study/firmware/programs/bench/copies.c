#include "programs/bench/objects.h"

#include <string.h>

#include "runtime/heap/object.h"

#define LINE_WORDS 8u /* of the data cache, in whose one way both sides may want the same place */

/* Whether the word at an address is a reference. `object` is an object at or before it, of those in a row; then the one
 * that has the word. */
static bool is_reference(hw_ref *object, uint32_t word) {
    for (uint32_t bytes; word - *object >= (bytes = hw_object_bytes(hw_pointer(*object))); *object += bytes)
        if (bytes < HW_OBJECT_HEADER_SIZE) return true; /* no object: what is here is not to be believed */

    const struct hw_klass *klass = hw_klass_of(hw_pointer(*object));
    uint32_t offset = word - *object;

    if (klass->kind == HW_KLASS_KIND_OBJECT_ARRAY) return offset >= hw_klass_elements(klass);
    return klass->kind != HW_KLASS_KIND_PRIMITIVE_ARRAY && offset >= HW_OBJECT_HEADER_SIZE &&
           hw_klass_is_reference(klass, offset);
}

/* Whether the words at `from` and at `to` are alike. Those that lead into the `inside` bytes from `from` on lead as far
 * into those from `to` on. */
static bool alike(const void *from, const void *to, uint32_t bytes, uint32_t inside) {
    const uint32_t *at = from, *other = to, base = hw_reference(from), moved = hw_reference(to);
    uint32_t line[LINE_WORDS];
    hw_ref object = base;

    for (uint32_t words = bytes / sizeof *at; words;) {
        uint32_t count = words < LINE_WORDS ? words : LINE_WORDS;

        for (uint32_t i = 0; i < count; i++) line[i] = at[i];
        for (uint32_t i = 0; i < count; i++) {
            uint32_t one = line[i], two = other[i];

            if (one != two) {
                if (one - base >= inside || one - base != two - moved) return false;
            } else if ((one - base < inside || one - moved < inside) && is_reference(&object, hw_reference(at + i))) {
                return false;
            }
        }
        at += count;
        other += count;
        words -= count;
    }
    return memcmp(at, other, bytes % sizeof *at) == 0;
}

bool copies_same(const void *one, const void *other, uint32_t bytes) { return alike(one, other, bytes, 0); }

bool copies_alike(const void *first, const void *copy, uint32_t bytes) { return alike(first, copy, bytes, bytes); }
