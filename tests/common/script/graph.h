/* Classes and graphs as tests describe them, in words of 32 bits, independent of any stream format.
 *
 * A class: kind, log2 of the bytes of an element, slots behind the header, one bit per slot for references (whole
 * words, the first slot in the lowest bit), bytes of the name, the name (whole words). A graph: the number of objects,
 * then for each its class, identity hash, length, and slots. A slot is a value, or the index of the object in this list
 * + 1. The first object is the root.
 */
#ifndef TEST_GRAPH_H
#define TEST_GRAPH_H

#include "runtime/thread.h"
#include "runtime/klass.h"
#include "runtime/regions.h"

/* Where heaps may lie. */
#ifdef __riscv
#define TEST_HEAP_BASE HW_FLEXIBLE_BASE
#else
#define TEST_HEAP_BASE (HW_MEMORY_BASE + 4096u)
#endif

#define TEST_CLASSES 600

extern struct hw_klass test_klasses[TEST_CLASSES];
extern uint32_t test_class_count;

/* Classes have serialization metadata. May only be changed before the first class. */
extern bool test_metadata;

/* Provided by the program: registers a class with what is under test. Returns its id, or a negative number. */
int32_t test_register_class(struct hw_klass *klass);

/* Makes a class from the words. Returns its id, or a negative number; 0 if it shall not be registered. */
int32_t test_class(const uint32_t *words, bool registers);

/* Returns the class of this name, or NULL. */
struct hw_klass *test_class_named(const char *name);

/* Builds a graph. Returns its root in a new local handle, NULL if there was no room. */
hw_handle test_build(const uint32_t *words);

/* Describes what the root leads to, breadth first. Returns the words, and the objects themselves, both in malloc's
 * memory. */
uint32_t *test_describe(hw_ref root, uint32_t *count, hw_ref **objects);

/* Registers all classes again, after what is under test has forgotten them. */
void test_register(void);

/* Ends the program if the walker finds a fault. */
void test_walk(void);

#endif
