/* A program that returns over a line the graphs that it receives (tests/cereal/test_line.py,
 * tests/soc/test_object_line.py). */
#ifndef TEST_CEREAL_ECHO_H
#define TEST_CEREAL_ECHO_H

#include "programs/monitor/object_line.h"

/* Reads graphs from the line. Writes each one back behind a `Node` whose value is the number of commands that software
 * has executed so far. Calls `failed` for each command that ends with an error. Returns after a graph whose root is a
 * byte array, or when the host has been silent `silences` times in a row. The heap must exist and be empty. */
void echo(struct object_line *line, uint32_t silences, void (*failed)(int status, uint32_t offset));

#endif
