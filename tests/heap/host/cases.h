/* What the cases share. */
#ifndef TEST_HEAP_CASES_H
#define TEST_HEAP_CASES_H

#include "../../common/cases.h"
#include "generated/mem.h"
#include "mirror.h"
#include "runtime/heap/heap.h"

#define CASES_BASE (MAIN_RAM_BASE + 4096u)
#define CASES_HEAP_BYTES (128u * 1024)

/* The options of the heap that `init` makes. A case may change them first. */
extern struct hw_heap_options options;

void init(void);

/* Returns whether the walker finds no fault. */
bool walks(void);

#endif
