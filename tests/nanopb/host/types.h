/* The types of a schema's program; generated (tests/nanopb/program.py). */
#ifndef TYPES_H
#define TYPES_H

#include <pb.h>

#include "runtime/descriptor.h"

struct test_type {
    const char *name;
    const pb_msgdesc_t *fields;
    uint32_t size;
    /* Holds a table against the compiler's own idea of the struct; the number of faults, which it prints. */
    unsigned (*check)(const struct hw_type *table);
};

extern const struct test_type test_types[];
extern const unsigned test_type_count;

#endif
