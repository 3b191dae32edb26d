/* The preloaded cases of the protobuf suite (docs/reference/firmware_build.md). */
#ifndef HW_PROGRAMS_BATCH_WORKLOAD_H
#define HW_PROGRAMS_BATCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

/* What the suites do with a case, besides the engines. */
enum workload_task {
    /* `protobuf`: */
    WORKLOAD_CAPNP = 0x40,  /* the message is one of Cap'n Proto; the core copies it */
    WORKLOAD_FLIGHT = 0x80, /* many of the message in flight */
    /* `heap`: */
    WORKLOAD_WAIT = 0x100,    /* the wait for its command in flight */
    WORKLOAD_TRAFFIC = 0x200, /* adoption, survival, end to end */
};

struct workload_case {
    uint32_t name, type, message, length; /* offsets of C strings and of the message; bytes of the message */
    uint32_t engines;                     /* bit e: engine e of programs/measure/engine.h; WORKLOAD_* */
    uint32_t warm, digest, reserved;
};

struct workload {
    uint32_t magic, version, bytes, count;
    uint32_t schema, schema_bytes, crc, reserved;
    struct workload_case cases[];
};

/* Returns the workload at the start of the load region, and puts its schema in force. Returns NULL, and prints a
 * remark, if there is no workload or if it is damaged. */
const struct workload *workload_open(void);

/* Returns what is at an offset of the workload. */
static inline const void *workload_at(const struct workload *workload, uint32_t offset) {
    return (const char *)workload + offset;
}

#endif
