/* For programs that execute the words of the load region as a script and leave answers behind: the region of answers
 * (first their number of bytes, then the answers), and the C library functions that tests/cereal/host/graph.c needs. */
#ifndef TEST_SCRIPT_H
#define TEST_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/regions.h"

#define ANSWERS_BYTES (HW_FIXED_BYTES / 4)
/* Memory between the answers and the store, for the program. */
#define BUFFERS_BASE (HW_FIXED_BASE + ANSWERS_BYTES)
#define BUFFERS_BYTES (HW_FIXED_BYTES / 2)

void script_open(void);

/* Frees everything that was allocated. */
void script_empty_store(void);

void script_put(const void *data, size_t bytes);
void script_put_word(uint32_t word);

/* Answers the graph of `root` as graph.h describes it, preceded by the number of words. */
void script_put_graph(uint32_t root);

/* Completes the answers. */
void script_close(void);

#endif
