/* Compares nanopb's structs by nanopb's own descriptors. */
#ifndef COMPARE_H
#define COMPARE_H

#include <pb_common.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns whether two structs have the same contents. Writes the path of the first difference to `where`. With `bytes`,
 * parts without a meaning (array elements beyond the count) must be the same too. */
bool same_struct(const pb_msgdesc_t *descriptor, void *left, void *right, bool bytes, char *where, size_t room);

#endif
