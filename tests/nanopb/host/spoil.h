#ifndef SPOIL_H
#define SPOIL_H

#include <pb.h>

/* Puts into one field of a struct what no decoder does, but a program may: nanopb refuses some of it. */
void spoil(const pb_msgdesc_t *fields, void *message, unsigned choice);

#endif
