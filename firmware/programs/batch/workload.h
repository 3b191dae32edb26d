/* The preloaded cases of the protobuf suite (docs/reference/firmware_build.md). */
#ifndef HW_PROGRAMS_BATCH_WORKLOAD_H
#define HW_PROGRAMS_BATCH_WORKLOAD_H

#include "records/workload.h"

/* Returns the workload at the start of the load region, and puts its schema in force. Returns NULL, and prints a
 * remark, if there is no workload or if it is damaged. */
const struct workload *workload_open(void);

/* Returns what is at an offset of the workload. */
static inline const void *workload_at(const struct workload *workload, uint32_t offset) {
    return (const char *)workload + offset;
}

#endif
