/* Classes and graphs as tests describe them, words of 32 bits, which know nothing of streams.
 *
 * A class: kind, log2 of an element's bytes, slots behind the header, one bit a slot for references (whole words, the
 * first slot lowest), bytes of the name, the name (whole words). A graph: objects, then for each its class, identity
 * hash, length, and its slots: a value, or the place of the object in this list + 1. The first one is the root.
 */
#ifndef TEST_CEREAL_GRAPH_H
#define TEST_CEREAL_GRAPH_H

#include "runtime/handle.h"
#include "runtime/klass.h"

#define TEST_CLASSES 600

extern struct hw_klass test_klasses[TEST_CLASSES];
extern uint32_t test_class_count;

/* The heap the tests of the host work in: its options are these but for what is 0 there (place.c). */
void test_heap(bool stress, bool array, bool large);

/* Classes have serialization metadata; to be changed before the first one. */
extern bool test_metadata;

/* Of the program: registers a class with what is under test; its id, or less than 0. */
int32_t test_register_class(struct hw_klass *klass);

/* Takes a class from the words; where the next words are. It is registered: `id`, or less than 0. */
const uint32_t *test_class(const uint32_t *words, int32_t *id);

/* Builds a graph: its root in a new local handle, NULL if there was no room. */
hw_handle test_build(const uint32_t **words);

/* Describes what the root leads to, breadth first: words, and the objects themselves, both in malloc's memory. */
uint32_t *test_describe(hw_ref root, uint32_t *count, hw_ref **objects);

/* The classes again, after what is under test has forgotten them. */
void test_register(void);

/* Ends the program if the walker finds a fault. */
void test_walk(void);

#endif
