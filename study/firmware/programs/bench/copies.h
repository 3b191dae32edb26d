/* Compares the copies of one graph that several units have made. The objects of a copy lie in a row. */
#ifndef HW_PROGRAMS_BENCH_COPIES_H
#define HW_PROGRAMS_BENCH_COPIES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the bytes at both places, which are aligned to words, are the same. */
bool copies_same(const void *one, const void *other, uint32_t bytes);

/* Returns whether the objects in the `bytes` bytes from `copy` on are those from `first` on, at another place. A
 * reference leads to the same object of its own copy, or, in both, to one object that is in neither. One that leads
 * from a copy into the other is a fault. */
bool copies_alike(const void *first, const void *copy, uint32_t bytes);

#endif
