/* What the cases share: a heap with the generated classes, a machine that is its own driver, streams over `memory`. */
#ifndef TEST_SKYWAY_CASES_H
#define TEST_SKYWAY_CASES_H

#include "../../common/cases.h"
#include "classes.h"
#include "skyway/skyway.h"
#include "runtime/heap/heap.h"
#include "runtime/java/map.h"
#include "runtime/java/string.h"

#define CASES_MEMORY (1u << 17)
#define NODE_BYTES (HW_CLASS_ListNode->object_size)

extern uint8_t memory[CASES_MEMORY];
extern struct hw_skyway_memory_sink sink;
extern struct hw_skyway_output output;
extern struct hw_skyway_source source;
extern struct hw_skyway_input input;

void walk(void);
void begin_heap(bool stress);
void begin(bool stress);

/* Opens a stream to a buffer, or `input` from one. */
void open_output(struct hw_skyway_output *stream, struct hw_skyway_memory_sink *to, uint8_t *buffer, uint32_t bytes,
                 void *work, uint32_t work_bytes);
void open_input(const uint8_t *stream, uint32_t bytes, void *work, uint32_t work_bytes);

/* Opens `output` to the first bytes of `memory`, or `input` from what was written there. */
void begin_output(uint32_t work, uint32_t bytes);
void begin_input(void);

hw_handle copied(hw_handle root);
hw_handle list(uint32_t length);

/* Returns an array of `count` lists. */
hw_handle lists(uint32_t count, uint32_t length);

uint32_t length_of(hw_handle handle);

#endif
