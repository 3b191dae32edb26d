/* What the cases share: a heap with the generated classes, a machine that is its own driver, streams over `memory`. */
#ifndef TEST_SKYWAY_CASES_H
#define TEST_SKYWAY_CASES_H

#include <stdio.h>
#include <stdlib.h>

#include "../../common/expect.h"
#include "classes.h"
#include "skyway/registry/java_loader.h"
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
void begin_output(uint32_t work, uint32_t bytes);
void begin_input(void);
hw_handle copied(hw_handle root);
hw_handle list(uint32_t length);
uint32_t length_of(hw_handle handle);

/* cases_phases.c */
void last_epoch(void);
void new_heap(void);
void phase_meanwhile(void);
void phase_before_claims(void);

/* cases_receiving.c */
void without_roots(void);
void one_buffer(void);
void end_without_begin(void);

/* cases_classes.c */
void versions(void);
void bad_classes(void);
void other_registry(void);
void classes_meanwhile(void);

/* cases_threads.c */
void claims(void);
void two_lookups(void);

/* cases_sending.c */
void sharing_epochs(void);
void work_areas(void);
void beyond_the_queue(void);
void bad_objects(void);
void files(void);
void first_object(void);
void errors_stay(void);

/* cases_cuts.c */
void phase_between_clones(void);
void registry_between_objects(void);

/* cases_assist.c */
void assisted_sending(void);
void assisted_receiving(void);
void assisted_segments(void);
void unit_after_the_copy(void);
void continuing(void);
void continuing_by_short_queues(void);
void machine_faults(void);

/* cases_formats.c */
void named_heaps(void);
void too_large_there(void);
void formats_by_tables(void);
void formats_by_object_streams(void);

/* cases_switching.c */
void switching(void);

#endif
