/* What nanopb allocates with: a bump arena, shared with the units that build nanopb's structs.
 *
 * Blocks are 8-byte aligned; the word 8 bytes before one is the bytes it has room for.
 */
#ifndef HW_PROTOBUF_NANOPB_ALLOCATE_H
#define HW_PROTOBUF_NANOPB_ALLOCATE_H

#include "runtime/arena.h"

#define NANOPB_BLOCK_HEADER HW_OBJECT_ALIGNMENT

/* Where pointer fields go from now on; NULL: nowhere, they fail with "realloc failed". */
void nanopb_allocate_in(struct hw_arena *arena);

/* The arena in force, or NULL. */
struct hw_arena *nanopb_arena(void);

#endif
