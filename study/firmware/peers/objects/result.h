/* The results of codecs of Java objects. */
#ifndef HW_PEERS_OBJECTS_RESULT_H
#define HW_PEERS_OBJECTS_RESULT_H

#include <stdint.h>

#include "runtime/compiler.h"

enum hw_objects_status {
    HW_OBJECTS_OK,
    HW_OBJECTS_OUTPUT_FULL,
    HW_OBJECTS_TRUNCATED,     /* the input ends within the graph */
    HW_OBJECTS_MALFORMED,     /* violates the format; for a writer: a collection's size does not fit its array */
    HW_OBJECTS_BAD_REFERENCE, /* a reference to an object that has not been read */
    HW_OBJECTS_BAD_CLASS,     /* a class that is not in the tables, or differs there */
    HW_OBJECTS_BAD_TYPE,      /* a field or an element cannot hold the object */
    HW_OBJECTS_UNSUPPORTED,   /* the codec does not support this class, or this part of the format */
    HW_OBJECTS_NO_WORKSPACE,  /* the workspace has no room for as many objects, or for as deep a graph */
    HW_OBJECTS_NO_MEMORY,     /* the heap is full; the exception is still raised */
    /* more than HW_MAP_LONGEST keys of a map in one bucket; reading them would take time quadratic in their number */
    HW_OBJECTS_COLLISIONS,
};

struct hw_objects_result {
    enum hw_objects_status status;
    /* Of a writer: the bytes written, or 0 on an error. Of a reader: the bytes read, or the offset of the offending
     * byte. */
    uint32_t bytes;
};

#endif
