/* What the parts of the random steps share. */
#ifndef TEST_HEAP_STEPS_H
#define TEST_HEAP_STEPS_H

#include "mirror.h"

#define ROOTS 16 /* per thread */
#define THREADS 3

/* What happened, for the test to see that something did. */
struct steps_did {
    uint32_t out_of_memory, commands, full_arenas, large_arenas, compared, claimed;
};

extern struct steps_did did;

/* The next random number, 0 to bound - 1. */
uint32_t draw(uint32_t bound);

/* Root `slot` of the current thread. */
void put(uint32_t slot, hw_ref reference, struct mirror *mirror);

/* Heap full: the exception is as it should be, and half of the roots go. */
void recover(void);

/* One command: objects in the unit's arenas, more room when they are full, one root. */
void unit_command(void);

#endif
