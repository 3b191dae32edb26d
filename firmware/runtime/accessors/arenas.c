#include "runtime/accessors/arenas.h"

#include "runtime/accessors/fresh.h"

static bool within(const struct hw_arena *arena, hw_ref object) {
    return object - arena->base < arena->limit - arena->base;
}

static COLD_CALL bool elsewhere(void) {
    hw_error_raise(HW_STATUS_OTHER_MEMORY);
    return false;
}

static inline bool in_force(hw_ref object) {
    const struct hw_arenas *arenas = hw_thread->arenas;

    return LIKELY(arenas && (within(&arenas->fixed, object) || within(&arenas->flexible, object))) || elsewhere();
}

static COLD_CALL hw_ref take_flexible(struct hw_arenas *arenas, uint32_t bytes) {
    hw_ref taken = hw_arena_take(&arenas->flexible, bytes);

    if (taken == 0) hw_error_raise(HW_STATUS_ARENA_FULL);
    return taken;
}

OFTEN hw_ref hw_arenas_take(hw_handle message, uint32_t bytes) {
    struct hw_arenas *arenas = hw_thread->arenas;

    if (!in_force(message->reference)) return 0;
    if (arenas->in_flight) arenas->in_flight->settle(arenas->in_flight); /* it allocates here */
    hw_ref taken = hw_arena_take(&arenas->fixed, bytes);

    return LIKELY(taken != 0) ? taken : take_flexible(arenas, bytes);
}

OFTEN hw_ref hw_arenas_new_message(hw_handle message, const struct hw_message_info *info) {
    const struct hw_klass *klass = hw_message_klass_of(info);
    hw_ref made = klass ? hw_arenas_take(message, info->object_size) : 0;

    if (made) hw_object_write_message(made, info->object_size, info->hasbits_words, klass, 0);
    return made;
}

OFTEN hw_ref hw_arenas_new_bytes(hw_handle message, const void *data, uint32_t length) {
    bool possible = length <= INT32_MAX;
    hw_ref string = possible ? hw_arenas_take(message, hw_object_bytes_size(length)) : 0;

    if (!possible) hw_error_raise(HW_STATUS_ARENA_FULL);
    if (string) hw_object_put_bytes(string, data, length);
    return string;
}

bool hw_object_may_refer(hw_ref message, hw_ref object) {
    bool in_heap = hw_object_in_heap(message);

    if (LIKELY(in_heap && hw_object_in_heap(object))) return true;
    if (in_heap || hw_object_in_heap(object)) {
        hw_error_raise(HW_STATUS_OTHER_MEMORY);
        return false;
    }
    return in_force(message) && in_force(object);
}
