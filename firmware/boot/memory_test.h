/* A quick test of main memory: data and address lines, and training that went wrong. It writes and reads
 * some 64 KB, more than the caches hold; it is no test of every cell. What was there is lost. */
#ifndef HEAPWIRE_BOOT_MEMORY_TEST_H
#define HEAPWIRE_BOOT_MEMORY_TEST_H

#include <stdbool.h>
#include <stdint.h>

struct memory_fault {
    uint32_t offset; /* of the first wrong word */
    uint32_t expected, found;
};

/* `bytes`: a power of two, at least 128 KB. False: see `fault`. */
bool memory_test(volatile uint32_t *memory, uint32_t bytes, struct memory_fault *fault);

#endif
