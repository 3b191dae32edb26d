/* nanopb's allocator: a bump arena. The units that build nanopb's structs use the same arena.
 *
 * Blocks are 8-byte aligned. The word 8 bytes before a block is its capacity in bytes.
 */
#ifndef HW_PROTOBUF_NANOPB_ALLOCATE_H
#define HW_PROTOBUF_NANOPB_ALLOCATE_H

#include "runtime/arena.h"

#define HW_NANOPB_BLOCK_HEADER HW_OBJECT_ALIGNMENT

/* Sets the arena for the targets of pointer fields. NULL: allocations fail with "realloc failed". */
void hw_nanopb_allocate_in(struct hw_arena *arena);

/* Returns the arena in force, or NULL. */
struct hw_arena *hw_nanopb_arena(void);

#endif
