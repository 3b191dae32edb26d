/* What the heap's test programs share: messages to build, and a heap that starts empty. */
#ifndef TEST_HEAP_H
#define TEST_HEAP_H

#include "programs/batch/workload.h"
#include "../../common/expect.h"
#include "runtime/heap/adopt.h"
#include "protobuf/protobuf.h"

#define HEAP_CASES 64

/* Opens the workload, whose messages the functions below provide. */
void heap_open(void);

/* Returns a word that the test has put into the middle of the load region. */
uint32_t heap_parameter(uint32_t index);

/* Makes an empty heap with adoption by `way`. The singleton of unknown fields is an object of this heap, so that it
 * moves and the registers must be reloaded. */
void heap_start(const struct hw_heap_options *options, enum hw_adoption way);

extern uint32_t heap_case_count;

const struct hw_type *heap_case_type(uint32_t index);
const void *heap_case_input(uint32_t index, uint32_t *length);

/* Returns whether the object, field by field, is case `index`, has its type and refers to the singleton. */
bool heap_is_case(hw_handle message, uint32_t index);

/* Returns a number from 0 to bound - 1; each `state` has its own sequence. */
uint32_t heap_draw(uint32_t *state, uint32_t bound);

/* Checks that the walker finds no fault. */
void heap_check_walk(void);

#endif
