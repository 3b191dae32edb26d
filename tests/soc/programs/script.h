/* What programs share that do what the words of the load region say, and leave answers behind: the region of answers (first their
 * number of bytes, then they), and what tests/cereal/host/graph.c takes of the C library. */
#ifndef TEST_SCRIPT_H
#define TEST_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/regions.h"

#define ANSWERS_BYTES (HW_FIXED_BYTES / 4)
/* Between the answers and the store: the program's. */
#define BUFFERS_BASE (HW_FIXED_BASE + ANSWERS_BYTES)
#define BUFFERS_BYTES (HW_FIXED_BYTES / 2)

void script_open(void);

/* Everything that was allocated is free again. */
void script_empty_store(void);

void script_put(const void *data, size_t bytes);
void script_put_word(uint32_t word);

/* What `root` leads to, as graph.h describes it, behind the number of words. */
void script_put_graph(uint32_t root);

/* The answers are complete. */
void script_close(void);

#endif
