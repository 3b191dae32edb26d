/* A program that gives back over a line what it is given (tests/cereal/test_line.py, tests/soc/test_object_line.py). */
#ifndef TEST_CEREAL_ECHO_H
#define TEST_CEREAL_ECHO_H

#include "programs/monitor/object_line.h"

/* Reads graphs from the line and writes each behind a `Node` whose value is how many commands software has done so far.
 * `failed` is told of each command that ends with an error. Ends after a graph whose root is a byte array, or when the
 * host has been silent `silences` times in a row. The heap is there and empty. */
void echo(struct object_line *line, uint32_t silences, void (*failed)(int status, uint32_t offset));

#endif
