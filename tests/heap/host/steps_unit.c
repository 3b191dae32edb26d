/* A model of a unit that allocates, for steps.c. */
#include "steps.h"

#include <string.h>

#include "runtime/heap/adopt.h"
#include "runtime/heap/object.h"

enum built { BUILT, FIXED_FULL, FLEXIBLE_FULL };

/* Does a unit's work in software: makes a chain of instances in the fixed arena, and arrays in the flexible one. If
 * room runs out, it leaves garbage behind the tops, as a unit may. */
static enum built build(struct hw_arenas arenas, uint32_t count, uint32_t bytes, hw_ref *root, struct mirror **mirror) {
    hw_ref previous = 0;
    struct mirror *previous_mirror = NULL;

    for (uint32_t i = 0; i < count; i++) {
        hw_ref object = hw_arena_take(&arenas.fixed, kinds[NODE].object_size);
        bool without = count > 100 && i % 16; /* much in the fixed arena, little in the flexible one */
        hw_ref array = object && !without ? hw_arena_take(&arenas.flexible, hw_klass_bytes(&kinds[BYTES], bytes)) : 0;

        if (array == 0 && !(object && without)) {
            memset(hw_pointer(hw_thread->unit.fixed.top), 0x5a,
                   hw_thread->unit.fixed.limit - hw_thread->unit.fixed.top);
            memset(hw_pointer(hw_thread->unit.flexible.top), 0x5a,
                   hw_thread->unit.flexible.limit - hw_thread->unit.flexible.top);
            return object ? FLEXIBLE_FULL : FIXED_FULL;
        }
        struct mirror *node = mirror_new(NODE, 0, draw(1 << 20));
        struct mirror *content = without ? NULL : mirror_new(BYTES, bytes, draw(1 << 20));

        memset(hw_pointer(object), 0, kinds[NODE].object_size);
        *(struct hw_object *)hw_pointer(object) =
            (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_reference(&kinds[NODE])};
        mirror_fill(node, hw_pointer(object));
        if (content) {
            struct hw_array *header = hw_pointer(array);

            memset(header, 0, hw_klass_bytes(&kinds[BYTES], bytes));
            header->header = (struct hw_object){HW_OBJECT_MARK_UNLOCKED, hw_reference(&kinds[BYTES])};
            header->length = bytes;
            mirror_fill(content, header);
        }
        *(hw_ref *)hw_pointer(object + kind_reference_offset(NODE, 0)) = previous;
        *(hw_ref *)hw_pointer(object + kind_reference_offset(NODE, 1)) = array;
        node->references[0] = previous_mirror;
        node->references[1] = content;
        previous = object;
        previous_mirror = node;
    }
    *root = previous;
    *mirror = previous_mirror;
    hw_adopt_commit(arenas.fixed.top, arenas.flexible.top);
    return BUILT;
}

void unit_command(void) {
    uint32_t count = 1 + draw(30), bytes = draw(30) == 0 ? draw(20000) : draw(200);
    uint32_t fixed = 256, flexible = 256;
    hw_ref root;
    struct mirror *mirror;

    if (bytes > 1000)
        count = 1 + draw(3);
    else if (draw(40) == 0)
        count = 600, bytes = 8;
    while (hw_adopt_room(fixed, flexible)) {
        did.large_arenas += hw_thread->unit_large[0] || hw_thread->unit_large[1];
        enum built built = build(hw_thread->unit, count, bytes, &root, &mirror);

        if (built == BUILT) {
            put(draw(ROOTS), root, mirror);
            did.commands++;
            return;
        }
        did.full_arenas++;
        *(built == FIXED_FULL ? &fixed : &flexible) *= 2;
    }
    recover();
}
