#include "runtime/thread.h"

struct hw_thread hw_main_thread = {
    .handles = {.next = hw_main_thread.slots, .limit = hw_main_thread.slots + HW_LOCAL_HANDLES},
    .next = &hw_main_thread,
};
struct hw_thread *hw_thread = &hw_main_thread;

volatile uint32_t hw_critical_depth;

__attribute__((noinline)) uint32_t hw_stack_levels(uint32_t levels, uint32_t bytes) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), lowest = (uintptr_t)hw_thread->stack_guard;

    if (lowest == 0) return levels;
    uintptr_t room = here > lowest + HW_STACK_RESERVE ? (here - lowest - HW_STACK_RESERVE) / bytes : 0;

    return room < levels ? (uint32_t)room : levels;
}
