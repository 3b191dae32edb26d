/* Places of an instance's fields in a heap of any format (docs/reference/skyway.md, "Heap formats"). Only for the
 * sender's own files. */
#ifndef HW_SKYWAY_SENDER_PLACEMENT_H
#define HW_SKYWAY_SENDER_PLACEMENT_H

#include "skyway/heap.h"
#include "runtime/klass.h"

/* A field: its offset and bytes in this heap, its offset in the other heap. */
typedef void skyway_place_visit(void *context, uint32_t offset, uint32_t bytes, bool reference, uint32_t place);

/* Calls `visit`, if there is one, for each field of an instance, in the order in which fields are placed. Returns the
 * offset behind the last byte of a field. */
uint32_t skyway_place_fields(const struct hw_klass *klass, uint32_t fields, uint32_t reference_bytes,
                             skyway_place_visit *visit, void *context);

#endif
