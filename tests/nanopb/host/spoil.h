#ifndef SPOIL_H
#define SPOIL_H

#include <pb.h>

/* Puts a value into one field of a struct that no decoder writes, but that a program may. nanopb refuses to encode some
 * of these. */
void spoil(const pb_msgdesc_t *fields, void *message, unsigned choice);

#endif
