/* Java Serializer Benchmark Set: its MediaContent, and a digest of one. */
#ifndef HW_PROGRAMS_SKYWAY_MEDIA_H
#define HW_PROGRAMS_SKYWAY_MEDIA_H

#include "runtime/thread.h"

/* Returns the benchmark's media.1, with this number as its bit rate, so that each object is another one. NULL with an
 * exception if there is no room. A safepoint. */
hw_handle media_new(uint32_t number);

/* Computes the CRC-32 of all values of a MediaContent, in the order of their declaration (study.shuffle.jsbs).
 * Returns false if the object is none. Lists may have up to 16 elements. */
bool media_digest(hw_handle content, uint32_t *digest);

#endif
