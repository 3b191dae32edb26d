#include "runtime/heap/root.h"

#include "runtime/heap/adopt_roots.h"
#include "runtime/handle.h"
#include "runtime/heap/safepoint.h"
#include "runtime/registers.h"

void hw_roots_visit(hw_visit_slot *visit, void *context)
{
    struct hw_thread *thread = hw_thread;
    uint32_t singleton = hw_registers[HW_REG_UNKNOWN_FIELDS];

    do {
        for (uint32_t i = 0; i < thread->handles.count; i++)
            if (thread->handles.slots[i].reference)
                visit(&thread->handles.slots[i].reference, context);
        thread = thread->next;
    } while (thread != hw_thread);
    for (uint32_t i = 0; i < HW_GLOBAL_HANDLES; i++)
        if (hw_globals[i].reference)
            visit(&hw_globals[i].reference, context);
    if (singleton) {
        visit(&hw_registers[HW_REG_UNKNOWN_FIELDS], context);
        if (hw_registers[HW_REG_UNKNOWN_FIELDS] != singleton)
            hw_safepoint_registers_moved = true;
    }
    hw_adopt_roots(visit, context);
}
