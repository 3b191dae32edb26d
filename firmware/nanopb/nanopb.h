/* nanopb as a peer (engine `nanopb`). Structs and their pointers' targets lie in a bump arena. */
#ifndef HW_NANOPB_NANOPB_H
#define HW_NANOPB_NANOPB_H

#include <stdbool.h>

#include "nanopb/registry.h"
#include "runtime/arena.h"

/* Returns the type with this full name, or NULL. */
const struct nanopb_type *nanopb_find(const char *full_name);

/* Decodes the input into a new struct of `type`. Returns NULL, with the reason in *error, if the input is malformed or
 * the arena is full. */
void *nanopb_decode(const struct nanopb_type *type, const void *input, uint32_t length, struct hw_arena *arena,
                    const char **error);

/* Encodes a struct into `output`. Returns the bytes written; 0 on an error or for an empty message, which *ok tells
 * apart. */
uint32_t nanopb_encode(const struct nanopb_type *type, const void *message, void *output, uint32_t capacity, bool *ok);

#endif
