/* Suite `heap`. Without a workload: allocation, barrier, pauses. With one: each message by the engines that it asks for
 * (study/docs/suites.md). */
#ifndef HW_PROGRAMS_BENCH_HEAP_H
#define HW_PROGRAMS_BENCH_HEAP_H

#include "programs/bench/row.h"
#include "programs/batch/workload.h"
#include "runtime/heap/adopt.h"
#include "protobuf/protobuf.h"

/* A message of the workload. */
struct heap_message {
    const char *name;
    const struct hw_type *type;
    const void *input;
    uint32_t length, digest;
};

/* Prints a row of this suite. */
void heap_row(struct row row);

/* Makes an empty heap with these options, at the place of the fixed arena. Ends the program if they do not fit. */
void heap_begin(struct hw_heap_options options);

/* Returns whether the object is this message, field by field. */
bool heap_is(hw_handle object, const struct heap_message *message);

void heap_own(void);
void heap_traffic(const struct heap_message *message);
void heap_sizes(const struct heap_message *message);
void heap_wait(const struct heap_message *message);

#endif
