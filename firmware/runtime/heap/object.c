/* An object behind its handle: its references and its identity hash; and objects that stand for no object. */
#include "runtime/heap/object.h"

#include "runtime/heap/card.h"
#include "runtime/heap/heap.h"

static hw_ref *slot_at(hw_handle object, uint32_t offset) { return hw_pointer(object->reference + offset); }

static hw_ref *element_at(hw_handle array, uint32_t index) {
    return slot_at(array, hw_klass_elements(hw_klass_of(hw_handle_object(array))) + index * sizeof(hw_ref));
}

hw_handle hw_get(hw_handle object, uint32_t offset) { return hw_handle_hold(*slot_at(object, offset)); }

void hw_set(hw_handle object, uint32_t offset, hw_handle value) {
    hw_write(slot_at(object, offset), value ? value->reference : 0);
}

hw_handle hw_get_element(hw_handle array, uint32_t index) { return hw_handle_hold(*element_at(array, index)); }

void hw_set_element(hw_handle array, uint32_t index, hw_handle value) {
    hw_write(element_at(array, index), value ? value->reference : 0);
}

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

const struct hw_klass hw_filler_klass = {.object_size = HW_OBJECT_HEADER_SIZE, .kind = HW_KLASS_KIND_INSTANCE};
const struct hw_klass hw_filler_array_klass = {.kind = HW_KLASS_KIND_PRIMITIVE_ARRAY};

void hw_make_filler(uint32_t start, uint32_t limit) {
    uint32_t bytes = limit - start;

    if (bytes == 0) return;
    struct hw_array *filler = hw_pointer(start);

    filler->header.mark = HW_OBJECT_MARK_UNLOCKED;
    if (bytes == HW_OBJECT_HEADER_SIZE) {
        filler->header.klass = hw_reference(&hw_filler_klass);
        return;
    }
    filler->header.klass = hw_reference(&hw_filler_array_klass);
    filler->length = bytes - HW_OBJECT_ARRAY_ELEMENTS;
}
