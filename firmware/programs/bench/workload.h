/* The preloaded cases of the protobuf suite (docs/firmware_build.md). */
#ifndef HW_PROGRAMS_BENCH_WORKLOAD_H
#define HW_PROGRAMS_BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>

/* What the suites do with a case, beside the engines' bits. */
enum workload_task {
    /* `protobuf`: */
    WORKLOAD_CAPNP = 0x40,    /* it is a message of Cap'n Proto: the core copies it */
    WORKLOAD_FLIGHT = 0x80,   /* many of it in flight */
    /* `heap`: */
    WORKLOAD_WAIT = 0x100,    /* the wait for its command in flight */
    WORKLOAD_TRAFFIC = 0x200, /* adoption, survival, end to end */
};

struct workload_case {
    uint32_t name, type, message, length; /* offsets of C strings, of the message; its bytes */
    uint32_t engines;                     /* bit e: engine e of programs/measure/engine.h; WORKLOAD_* */
    uint32_t warm, digest, reserved;
};

struct workload {
    uint32_t magic, version, bytes, count;
    uint32_t schema, schema_bytes, crc, reserved;
    struct workload_case cases[];
};

/* The workload at the start of the load region, its schema in force; NULL, and a remark printed, if
 * it is not there or damaged. */
const struct workload *workload_open(void);

/* What lies at an offset of the workload. */
static inline const void *workload_at(const struct workload *workload, uint32_t offset)
{
    return (const char *)workload + offset;
}

#endif
