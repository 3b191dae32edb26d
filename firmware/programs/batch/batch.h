/* The results that `batch` leaves in memory: one per case, from the first multiple of 64 behind the workload on. Behind
 * them is one place per case for the serialized message. host/heapwire/batch.py reads both. */
#ifndef HW_PROGRAMS_BATCH_BATCH_H
#define HW_PROGRAMS_BATCH_BATCH_H

#include <stdint.h>

#define BATCH_NO_TYPE 0x200 /* the schema has no type of that name */
#define BATCH_NOT_RUN 0x201 /* there was nothing to serialize */
/* Bytes of the place for a case whose input has `length` bytes. */
#define BATCH_ROOM(length) ((8 * (length) + 4096 + 63) & ~63u)

struct batch_result {
    uint32_t deserialize_status, offset, deserialize_fallbacks; /* HW_STATUS_* or one of the above */
    uint32_t serialize_status, serialize_fallbacks;
    uint32_t output, output_bytes; /* address and length */
    uint32_t reserved;
};

#endif
