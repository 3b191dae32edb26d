#include "programs/batch/workload.h"

#include <stdio.h>
#include <string.h>

#include "programs/measure/memory_map.h"
#include "runtime/crc32.h"

static const char *problem(const struct workload *workload) {
    if (workload->magic != WORKLOAD_MAGIC) return "there is none";
    if (workload->version != WORKLOAD_VERSION) return "it has a version that this firmware does not know";
    if (workload->bytes < sizeof *workload || workload->bytes > BUFFER_LIMIT - BUFFER_BASE)
        return "its size is out of range";
    if (workload->crc != 0 && hw_crc32(0, workload->cases, workload->bytes - sizeof *workload) != workload->crc)
        return "its CRC-32 does not match";
    if (workload->schema > workload->bytes || workload->schema_bytes > workload->bytes - workload->schema ||
        workload->schema_bytes > SCHEMA_AREA_BYTES)
        return "its schema does not fit";
    return NULL;
}

const struct workload *workload_open(void) {
    const struct workload *workload = hw_pointer(HW_LOAD_BASE);
    const char *text = problem(workload);

    if (text) {
        printf("# workload at %08lx: %s\n", (unsigned long)HW_LOAD_BASE, text);
        return NULL;
    }
    /* Loading patches a copy, so that the next layout of this program finds the workload unchanged. */
    void *blob = hw_pointer(SCHEMA_AREA(0));
    memcpy(blob, workload_at(workload, workload->schema), workload->schema_bytes);
    enum hw_schema_error error = hw_schema_load(blob, workload->schema_bytes);
    if (error != HW_SCHEMA_OK) {
        printf("# %s\n", hw_schema_error_text(error));
        return NULL;
    }
    return workload;
}
