/* What the parts of the random steps share. */
#ifndef TEST_HEAP_STEPS_H
#define TEST_HEAP_STEPS_H

#include "mirror.h"

#define ROOTS 16 /* per thread */
#define THREADS 3

/* Counts of events, so that the test can tell that they occurred. */
struct steps_did {
    uint32_t out_of_memory, commands, full_arenas, large_arenas, compared, claimed;
};

extern struct steps_did did;

/* Returns the next random number, from 0 to bound - 1. */
uint32_t draw(uint32_t bound);

/* Sets root `slot` of the current thread. */
void put(uint32_t slot, hw_ref reference, struct mirror *mirror);

/* Checks the error of a full heap, and drops half of the roots. */
void recover(void);

/* Executes one command: makes objects in the unit's arenas, gets more room when they are full, and puts one root. */
void unit_command(void);

#endif
