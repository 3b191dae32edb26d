/* nanopb's structs, compared by nanopb's own descriptors. */
#ifndef COMPARE_H
#define COMPARE_H

#include <pb_common.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether two structs say the same; `where` gets the path of the first difference. With `bytes`, parts that mean nothing
 * (array elements beyond the count) are the same too. */
bool same_struct(const pb_msgdesc_t *descriptor, void *left, void *right, bool bytes, char *where, size_t room);

#endif
