
#include <string.h>

#include "runtime/heap/collect.h"
#include "runtime/heap/safepoint.h"

/* Under stress one collection of this many is a full one. */
#define STRESS_FULL 16

static uint32_t stressed;

void hw_buffer_close(struct hw_thread *thread) {
    hw_make_filler(thread->buffer.top, thread->buffer.limit);
    thread->buffer = (struct hw_arena){0};
}

/* Collects, and leaves a gap in front of the next object. A raw pointer that was kept then finds poison or a filler,
 * not the next object at the same address. */
static void stress(void) {
    struct hw_arena *eden = &hw_space.eden;

    if (!hw_space.options.stress) return;
    hw_collect(++stressed % STRESS_FULL == 0);
    uint32_t gap = HW_OBJECT_ALIGNMENT * (2 + stressed * 7 % 61);

    hw_critical_enter();
    if (gap <= hw_arena_free(eden) / 4) {
        hw_memory_allow(eden->top, eden->top + gap);
        hw_make_filler(eden->top, eden->top + gap);
        eden->top += gap;
    }
    hw_critical_leave();
}

/* Tries `take`; then collects, first young and then full, until `take` succeeds. */
static hw_ref collecting(hw_ref (*take)(uint32_t), uint32_t bytes, bool young_helps) {
    hw_ref taken;

    stress();
    if ((taken = take(bytes)) != 0) return taken;
    if (young_helps && (taken = hw_collect_and_take(false, take, bytes)) != 0) return taken;
    return hw_collect_and_take(true, take, bytes);
}

hw_ref hw_eden_try(uint32_t bytes) {
    hw_ref taken;

    hw_critical_enter();
    taken = hw_arena_take(&hw_space.eden, bytes);
    if (taken) hw_memory_allow(taken, hw_space.eden.top);
    hw_critical_leave();
    return taken;
}

hw_ref hw_eden_take(uint32_t bytes) {
    return bytes > hw_space.eden.limit - hw_space.eden.base ? 0 : collecting(hw_eden_try, bytes, true);
}

static hw_ref take_large(uint32_t bytes) {
    hw_ref run = hw_large_take(bytes);

    if (run) {
        /* The run is in use from now on, so it must be walkable until the caller writes its header. */
        hw_make_filler(run, run + bytes);
        hw_large_commit(run, bytes);
    }
    return run;
}

static hw_ref in_buffer(uint32_t bytes) {
    uint32_t chunk = hw_space.options.buffer_bytes;
    struct hw_thread *thread = hw_thread;

    /* Under stress there is no buffer, so that every allocation comes here. Large objects do not waste the rest of a
     * buffer. */
    if (hw_space.options.stress || bytes > chunk / 4) return hw_eden_take(bytes);
    hw_buffer_close(thread);
    hw_ref start = hw_eden_take(chunk);

    if (start == 0) return hw_eden_take(bytes);
    thread->buffer = (struct hw_arena){.base = start, .top = start + bytes, .limit = start + chunk};
    return start;
}

hw_ref hw_allocate_slow(uint32_t bytes) {
    hw_safepoint();
    hw_ref object = 0;

    if (bytes <= hw_large_threshold())
        object = in_buffer(bytes);
    else if (hw_large_could_hold(bytes))
        object = collecting(take_large, bytes, false);
    if (object == 0) hw_error_raise(HW_STATUS_OUT_OF_MEMORY);
    return object;
}

hw_ref hw_allocate_object_slow(const struct hw_klass *klass) {
    hw_ref object = hw_allocate_slow(klass->object_size);

    if (object) hw_object_init(object, object + klass->object_size, klass);
    return object;
}

hw_ref hw_allocate_array(const struct hw_klass *klass, uint32_t length) {
    struct hw_thread *thread = hw_thread;
    uint32_t elements = hw_klass_elements(klass);

    if (length > (INT32_MAX - elements) >> klass->element_shift) {
        hw_error_raise(HW_STATUS_OUT_OF_MEMORY);
        return 0;
    }
    uint32_t bytes = hw_klass_bytes(klass, length);
    hw_ref object = thread->buffer.top;

    if (bytes <= hw_arena_free(&thread->buffer) && bytes <= hw_large_threshold()) {
        thread->buffer.top = object + bytes;
    } else if ((object = hw_allocate_slow(bytes)) == 0) {
        return 0;
    }
    struct hw_array *array = hw_pointer(object);

    memset(array, 0, bytes);
    array->header.mark = HW_OBJECT_MARK_UNLOCKED;
    array->header.klass = hw_reference(klass);
    array->length = length;
    return object;
}

hw_handle hw_new_slow(const struct hw_klass *klass) { return hw_handle_hold(hw_allocate_object_slow(klass)); }

hw_handle hw_new_array(const struct hw_klass *klass, uint32_t length) {
    return hw_handle_hold(hw_allocate_array(klass, length));
}
