/* One descriptor table. */
#ifndef HW_PROTOBUF_NANOPB_TABLE_H
#define HW_PROTOBUF_NANOPB_TABLE_H

#include "protobuf/nanopb/build.h"

/* Writes the table of a type at `memory->top`, sub-table distances left 0, and moves `top` behind it; NULL without room. */
struct hw_type *hw_nanopb_table(const pb_msgdesc_t *descriptor, struct hw_nanopb_memory *memory);

/* Puts the distance to `sub`'s table into the entries of field `number`; false: it is too far. */
bool hw_nanopb_link(struct hw_type *table, uint32_t number, const struct hw_type *sub);

#endif
