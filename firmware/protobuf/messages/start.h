/* The start of a program. */
#ifndef HW_PROTOBUF_MESSAGES_START_H
#define HW_PROTOBUF_MESSAGES_START_H

#include "runtime/heap/heap.h"
#include "runtime/thread.h"

/* The schema blob of the program's message types, which hw_start puts in force. The length is 0 if there are none. Who
 * links a program by other means may leave both out. */
extern uint8_t program_schema[] __attribute__((weak));
extern const uint32_t program_schema_length __attribute__((weak));

/* Finds the units, puts the program's schema in force and begins an empty heap: of 1 MB at HW_FIXED_BASE, or as
 * hw_start_heap is told. May be called again; the heap is then a new one. Returns false with HW_STATUS_OTHER_CLUSTER,
 * HW_STATUS_BAD_SCHEMA or HW_STATUS_BAD_HEAP. */
bool hw_start(void);
bool hw_start_heap(const struct hw_heap_options *heap);

#endif
