/* The Java Serializer Benchmark Set as a distributed program, as in the paper: in each round every machine serializes
 * MediaContent objects, sends the bytes to all others, and deserializes what it receives. */
#ifndef HW_PROGRAMS_SKYWAY_JSBS_H
#define HW_PROGRAMS_SKYWAY_JSBS_H

#include "programs/shuffle/shuffle.h"

/* `scale` is the number of objects that a machine serializes in a round. The results are the digests of all objects
 * that a machine has received. */
extern const struct shuffle_program jsbs;

#define JSBS_ROUNDS 3u

#endif
