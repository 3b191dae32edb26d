/* Keeps the core, the copy unit and the engine busy in turn, until it is stopped: what a simulator is trained with
 * (sim/train.py), and what `make trace` and `make debug` show by default. A workload, preloaded as for `batch`, has the
 * engine's messages. */
#include <stdio.h>
#include <string.h>

#include "copy/copy.h"
#include "programs/batch/workload.h"
#include "protobuf/codec/codec.h"
#include "protobuf/protobuf.h"
#include "runtime/crc32.h"
#include "runtime/regions.h"
#include "runtime/schema.h"
#include "units/capability.h"

#define BYTES 8192u /* more than the data cache holds */
#define OUTPUT_BYTES 32768u

static _Alignas(64) uint8_t from[BYTES], to[BYTES + 64], output[OUTPUT_BYTES];
static struct hw_arenas arenas;
static struct hw_protobuf context;

static void reset(void) {
    hw_arena_reset(&arenas.fixed);
    hw_arena_reset(&arenas.flexible);
}

static void core(uint32_t round) {
    for (uint32_t i = 0; i < BYTES; i++) from[i] = (uint8_t)(i * round >> 3);
    memcpy(to + round % 7, from, BYTES);
    printf("# round %lu: %08lx\n", (unsigned long)round, (unsigned long)hw_crc32(0, to, BYTES / 8));
}

static void copies(uint32_t round) {
    for (uint32_t bytes = 32; bytes <= BYTES; bytes *= 4) {
        hw_copy(to, from, bytes);
        hw_copy(to + round % 13, from + BYTES - bytes, bytes);
    }
}

/* Both directions, by the unit and by the software codec. */
static void message(const struct workload *workload, const struct workload_case *item) {
    const struct hw_type *type = hw_schema_find(workload_at(workload, item->type));
    const void *input = workload_at(workload, item->message);
    hw_scope scope = hw_scope_open();
    struct hw_bytes bytes;
    hw_handle root;

    if (!type || item->length > OUTPUT_BYTES) return;
    reset();
    hw_protobuf_clear(&context);
    if (hw_protobuf_read(&context, type, input, item->length, &root))
        hw_protobuf_write(&context, type, root, output, sizeof output, &bytes);
    reset();
    struct hw_protobuf_codec_object built =
        hw_protobuf_codec_read(type, input, item->length, HW_PROTOBUF_DEFAULT_DEPTH, &arenas);
    hw_protobuf_codec_write(type, built.root, HW_PROTOBUF_DEFAULT_DEPTH, output, sizeof output, 0, UINT32_MAX);
    hw_scope_close(scope);
}

int main(void) {
    const struct workload *workload;

    core(1); /* before the first command: the core may be LiteX's own */
    hw_capability_discover();
    hw_arena_init(&arenas.fixed, HW_FIXED_BASE, HW_FIXED_BYTES);
    hw_arena_init(&arenas.flexible, HW_FLEXIBLE_BASE, HW_FLEXIBLE_BYTES);
    workload = workload_open();
    hw_protobuf_open(&context, &arenas);
    for (uint32_t round = 2;; round++) {
        copies(round);
        for (uint32_t i = 0; workload && i < workload->count; i++) message(workload, &workload->cases[i]);
        core(round);
    }
}
