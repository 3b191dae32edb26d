/* A quick test of main memory that finds faults of data and address lines and failed training. It writes and reads some
 * 64 KB, more than the caches hold, but does not test every cell. The previous contents are lost. */
#ifndef HEAPWIRE_BOOT_MEMORY_TEST_H
#define HEAPWIRE_BOOT_MEMORY_TEST_H

#include <stdbool.h>
#include <stdint.h>

struct memory_fault {
    uint32_t offset; /* of the first wrong word */
    uint32_t expected, found;
};

/* Tests memory of `bytes` bytes, a power of two, at least 128 KB. Returns false with the first wrong word in
 * `fault`. */
bool memory_test(volatile uint32_t *memory, uint32_t bytes, struct memory_fault *fault);

#endif
