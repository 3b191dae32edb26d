/* nanopb as a peer (engine `nanopb`): structs and what they point to lie in a bump arena. */
#ifndef HW_PEERS_NANOPB_NANOPB_H
#define HW_PEERS_NANOPB_NANOPB_H

#include <stdbool.h>

#include "peers/nanopb/registry.h"
#include "runtime/arena.h"

/* The type with this full name, or NULL. */
const struct nanopb_type *nanopb_find(const char *full_name);

/* A struct of `type` from the input; NULL, and *error tells why, if it is malformed or the arena is full. */
void *nanopb_decode(const struct nanopb_type *type, const void *input, uint32_t length, struct hw_arena *arena,
                    const char **error);

/* Encodes a struct into `output`; its bytes, 0 on an error. An empty message has none either: *ok tells. */
uint32_t nanopb_encode(const struct nanopb_type *type, const void *message, void *output, uint32_t capacity, bool *ok);

#endif
