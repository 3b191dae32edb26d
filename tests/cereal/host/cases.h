/* What the cases share: two classes, a context, streams over `memory`. */
#ifndef TEST_CEREAL_CASES_H
#define TEST_CEREAL_CASES_H

#include "../../common/cases.h"
#include "cereal/cereal.h"

#define CASES_MEMORY 4096

extern uint8_t memory[CASES_MEMORY];
extern struct hw_cereal context;
extern struct hw_cereal_output output;
extern struct hw_cereal_input input;

/* Makes a heap, registers one class, and empties the output. */
void begin(bool strip);

/* Make a list of nodes of that class; return the length of a list. */
hw_handle list(uint32_t length);
uint32_t length_of(hw_handle handle);

#endif
