#include "runtime/heap/heap.h"

#include "runtime/heap/adopt.h"
#include "runtime/registers.h"

static struct hw_root_range *ranges;

void hw_root_range_add(struct hw_root_range *range) {
    hw_critical_enter();
    range->next = ranges;
    ranges = range;
    hw_critical_leave();
}

void hw_root_range_remove(struct hw_root_range *range) {
    hw_critical_enter();
    for (struct hw_root_range **link = &ranges; *link; link = &(*link)->next)
        if (*link == range) {
            *link = range->next;
            break;
        }
    hw_critical_leave();
}

void hw_root_ranges_reset(void) { ranges = NULL; }

static void visit_ranges(hw_visit_slot *visit, void *context) {
    for (const struct hw_root_range *range = ranges; range; range = range->next)
        for (uint32_t i = 0; i < range->count; i++)
            if (range->base[i] && range->base[i] % HW_OBJECT_ALIGNMENT == 0) visit(&range->base[i], context);
}

void hw_roots_visit(hw_visit_slot *visit, void *context) {
    struct hw_thread *thread = hw_thread;

    do {
        hw_handles_visit(thread, visit, context);
        thread = thread->next;
    } while (thread != hw_thread);
    for (uint32_t i = 0; i < HW_GLOBAL_HANDLES; i++)
        if (hw_globals[i].reference) visit(&hw_globals[i].reference, context);
    if (hw_registers[HW_REG_UNKNOWN_FIELDS]) visit(&hw_registers[HW_REG_UNKNOWN_FIELDS], context);
    visit_ranges(visit, context);
    hw_adopt_roots(visit, context);
}
