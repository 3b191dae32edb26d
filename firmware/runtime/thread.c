#include "runtime/thread.h"

#include "runtime/critical.h"

struct hw_thread hw_main_thread = {.next = &hw_main_thread};
struct hw_thread *hw_thread = &hw_main_thread;

volatile uint32_t hw_critical_depth;
