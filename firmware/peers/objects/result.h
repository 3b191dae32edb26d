/* How a codec of Java objects ends. */
#ifndef HW_PEERS_OBJECTS_RESULT_H
#define HW_PEERS_OBJECTS_RESULT_H

#include <stdint.h>

#include "runtime/compiler.h"

enum hw_objects_status {
    HW_OBJECTS_OK,
    HW_OBJECTS_OUTPUT_FULL,
    HW_OBJECTS_TRUNCATED,     /* the input ends within the graph */
    HW_OBJECTS_MALFORMED,     /* not what the format allows here; of a writer: a collection's size is not its array's */
    HW_OBJECTS_BAD_REFERENCE, /* to an object that has not been read */
    HW_OBJECTS_BAD_CLASS,     /* a class that is not in the tables, or is another one there */
    HW_OBJECTS_BAD_TYPE,      /* a field or an element cannot hold the object */
    HW_OBJECTS_UNSUPPORTED,   /* the codec does not do this class, or this part of the format */
    HW_OBJECTS_NO_WORKSPACE,  /* more objects, or deeper ones, than the workspace has room for */
    HW_OBJECTS_NO_MEMORY,     /* the heap is full; the exception is still raised */
    HW_OBJECTS_COLLISIONS,    /* more than HW_MAP_LONGEST keys of a map in one bucket: reading them would take the square of their number */
};

struct hw_objects_result {
    enum hw_objects_status status;
    /* Of a writer: bytes written, or 0 on an error. Of a reader: bytes read, or the offset of the offending byte. */
    uint32_t bytes;
};

#endif
