/* Building one descriptor table. */
#ifndef HW_PROTOBUF_NANOPB_TABLE_H
#define HW_PROTOBUF_NANOPB_TABLE_H

#include "protobuf/nanopb/build.h"

/* Writes the table of a type at `memory->top`, with sub-table distances of 0, and moves `top` behind the table. Returns
 * NULL if there is no room. */
struct hw_type *hw_nanopb_table(const pb_msgdesc_t *descriptor, struct hw_nanopb_memory *memory);

/* Stores the distance to the table of `sub` in the entries of field `number`. Returns false if the distance does not
 * fit. */
bool hw_nanopb_link(struct hw_type *table, uint32_t number, const struct hw_type *sub);

#endif
