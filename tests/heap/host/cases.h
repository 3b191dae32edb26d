/* What the cases share. Each case is a function without arguments, which exits with 3 if it fails. */
#ifndef TEST_HEAP_CASES_H
#define TEST_HEAP_CASES_H

#include <stdio.h>
#include <stdlib.h>

#include "../../common/expect.h"
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

/* cases_full.c */
void out_of_memory(void);
void left_in_eden(void);
void cards_of_large_objects(void);
void overfull(void);
void long_objects(void);
void wide_graph(void);

/* cases_misuse.c */
void misuse(void);
void misuse_by_reading(void);
void no_barrier(void);

#endif
