/* Programs that execute the steps of a script and answer them, on this host and on the SoC. tests/common/script.py
 * writes scripts and reads the answers.
 *
 * A step: the operation's name (16 bytes, filled with zeros), the number of words that follow, and these words. All
 * programs have the operations of script.c; each adds its own in `script_operations`. Graphs are described as graph.h
 * says, and their roots are held in places. host.c reads steps from standard input; soc.c finds them in the load
 * region, and leaves the answers, preceded by their number of bytes, in the fixed region. */
#ifndef TEST_SCRIPT_H
#define TEST_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/thread.h"

#define SCRIPT_PLACES 64

/* The root that each place holds, or NULL. */
extern hw_handle script_places[SCRIPT_PLACES];

struct script_operation {
    const char *name;
    void (*run)(const uint32_t *words);
};

/* Provided by the program. The last one has no name. */
extern const struct script_operation script_operations[];

/* Executes all steps. */
void script_run(void);

/* Executes one step: name, number of words, words. */
void script_do(const uint32_t *step);

/* Answer bytes (in whole words), and a word. */
void script_put(const void *data, size_t bytes);
void script_put_word(uint32_t word);

/* Makes a place hold the object, or nothing. */
void script_keep(uint32_t place, hw_handle handle);

#endif
