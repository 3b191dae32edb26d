#include "runtime/compiler.h"
#include "runtime/heap/input.h"
#include "runtime/thread.h"

struct hw_handle_slot hw_globals[HW_GLOBAL_HANDLES];

hw_handle hw_global_new(hw_handle handle) {
    hw_handle global = NULL;

    hw_critical_enter();
    for (uint32_t i = 0; i < HW_GLOBAL_HANDLES && !global; i++)
        if (hw_globals[i].reference == 0) {
            global = &hw_globals[i];
            global->reference = handle->reference;
        }
    hw_critical_leave();
    return global;
}

/* A further part of a thread's table: a region of the large space, in which the heap sees no object. A part is begun
 * when those before it are full, and given back when the scope closes in which it was begun. */
struct part {
    hw_ref before; /* the part before it; 0: the thread's own slots */
    uint32_t unused;
    struct hw_handle_slot slots[];
};

static struct part *part_of(const struct hw_handle_table *table) { return hw_pointer(table->more); }

static hw_handle end_of(struct part *part) {
    return (struct hw_handle_slot *)(void *)((char *)part + hw_space.options.region_bytes);
}

static COLD_CALL bool grow(struct hw_handle_table *table) {
    hw_ref taken = hw_large_take(hw_space.options.region_bytes);

    if (taken == 0) {
        hw_error_raise(HW_STATUS_NO_HANDLE);
        return false;
    }
    struct part *part = hw_pointer(taken);

    part->before = table->more;
    table->more = taken;
    table->next = part->slots;
    table->limit = end_of(part);
    return true;
}

bool hw_handle_room(void) {
    struct hw_handle_table *table = &hw_thread->handles;

    return table->next != table->limit || grow(table);
}

COLD hw_handle hw_handle_more(hw_ref reference) { return hw_handle_room() ? hw_handle_new(reference) : NULL; }

COLD void hw_handles_shrink(struct hw_thread *thread, hw_handle last) {
    struct hw_handle_table *table = &thread->handles;

    while (table->more && !(last >= part_of(table)->slots && last <= end_of(part_of(table)))) {
        hw_ref left = table->more;

        table->more = part_of(table)->before;
        hw_input_drop(left);
    }
    table->limit = table->more ? end_of(part_of(table)) : thread->slots + HW_LOCAL_HANDLES;
}

void hw_handles_visit(struct hw_thread *thread, hw_visit_slot *visit, void *context) {
    hw_handle handle, end = thread->handles.next;

    for (struct part *part = part_of(&thread->handles); part; part = hw_pointer(part->before)) {
        for (handle = part->slots; handle != end; handle++)
            if (handle->reference) visit(&handle->reference, context);
        end = part->before ? end_of(hw_pointer(part->before)) : thread->slots + HW_LOCAL_HANDLES;
    }
    for (handle = thread->slots; handle != end; handle++)
        if (handle->reference) visit(&handle->reference, context);
}

void hw_global_drop(hw_handle handle) {
    if (handle) handle->reference = 0;
}
