#include "runtime/critical.h"
#include "runtime/heap/heap.h"

/* Marsaglia's xorshift. The hash is a number drawn once, because the object's address changes. */
static uint32_t draw(void) {
    static uint32_t state = 0x9e3779b9;

    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

uint32_t hw_identity_hash(hw_handle object) {
    struct hw_object *header = hw_handle_object(object);
    uint32_t hash = header->mark >> HW_OBJECT_MARK_HASH_BIT;

    if (hash) return hash;
    hw_critical_enter();
    while ((hash = header->mark >> HW_OBJECT_MARK_HASH_BIT) == 0)
        header->mark |= draw() >> HW_OBJECT_MARK_HASH_BIT << HW_OBJECT_MARK_HASH_BIT;
    hw_critical_leave();
    return hash;
}
