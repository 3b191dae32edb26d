#include "runtime/thread.h"

struct hw_thread hw_main_thread = {.next = &hw_main_thread};
struct hw_thread *hw_thread = &hw_main_thread;
