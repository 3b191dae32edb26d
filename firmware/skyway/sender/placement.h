/* Places of an instance's fields in a heap of any format (docs/reference/skyway.md, "Heap formats"). Only for the
 * sender's own files. */
#ifndef HW_SKYWAY_SENDER_PLACEMENT_H
#define HW_SKYWAY_SENDER_PLACEMENT_H

#include "skyway/sender/output.h"
#include "runtime/klass.h"

/* A field: its offset and bytes in this heap, its offset in the other heap. */
typedef void skyway_place_visit(void *context, uint32_t offset, uint32_t bytes, bool reference, uint32_t place);

/* Calls `visit`, if there is one, for each field of an instance in the receiver's heap, in the order in which fields
 * are placed. Returns the offset behind the last byte of a field. */
uint32_t skyway_place_fields(const struct hw_skyway_output *stream, const struct hw_klass *klass,
                             skyway_place_visit *visit, void *context);

/* The most bytes that a table of places has use for. */
#define SKYWAY_PLACES_MOST (8u + 32 * 64)

/* Makes an empty table of the places of classes, which need not be computed again then. Returns NULL if there is no
 * room for a class. `work` is aligned to 8 bytes. */
struct skyway_places *skyway_places_open(void *work, uint32_t bytes);

#endif
