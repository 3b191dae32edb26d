#include "programs/bench/row.h"

#include <stdio.h>

#include "runtime/object.h"
#include "runtime/regions.h"

/* Twice the size of this cluster's caches. */
#define OTHER_BYTES (2 * (uint32_t)(HW_CLUSTER_SHAREDCACHEBYTES + HW_CLUSTER_DATACACHEBYTES))
#define LINE_BYTES 32u  /* of the core's data cache, which has one way */
#define BLOCK_BYTES 64u /* of the shared cache */

static int exit_code;

uint32_t row_layout(void) {
    /* volatile, because the compiler assumes that no object has the address 0 */
    const volatile uintptr_t number = (uintptr_t)layout;

    return (uint32_t)number;
}

static void print_count(const char *name, uint32_t value) { printf("\"%s\":%lu,", name, (unsigned long)value); }

void row_print(const struct row *row) {
    if (!row->ok) exit_code = 1;
    printf("{\"suite\":\"%s\",\"case\":\"%s\",\"op\":\"%s\",\"engine\":\"%s\",\"model\":\"%s\",", row->suite, row->name,
           row->operation, row->engine, row->model);
    printf("\"cycles\":%lu,\"cold_cycles\":%lu,\"instret\":%lu,", (unsigned long)row->cycles,
           (unsigned long)row->cold_cycles, (unsigned long)row->instructions);
    print_count("wire_bytes", row->wire_bytes);
    print_count("object_bytes", row->object_bytes);
#define COUNT(name, number) print_count(#name, row->counts.name);
    HW_BYTE_COUNTERS(COUNT)
    if (row->counts.busy_cycles) {
        HW_CYCLE_COUNTERS(COUNT)
    }
    if (row->counts.dram_read_bytes || row->counts.dram_write_bytes) {
        DRAM_COUNTERS(COUNT)
    }
    if (row->began) print_count("began", row->began);
    if (row->collections) print_count("collections", row->collections);
    if (row->full_collections) print_count("full_collections", row->full_collections);
    if (row->collecting) print_count("collecting_cycles", row->collecting);
    if (row->digest) print_count("digest", row->digest);
    printf("\"fallbacks\":%lu,\"layout\":%lu,\"status\":%lu,\"ok\":%s}\n", (unsigned long)row->fallbacks,
           (unsigned long)row_layout(), (unsigned long)row->status, row->ok ? "true" : "false");
}

int bench_exit_code(void) { return exit_code; }

#ifdef __riscv /* a program for a host has no caches of its own to empty */
void evict_caches(void) {
    /* The end of the flexible arena, which small data do not reach. */
    const volatile char *other = hw_pointer(HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES - OTHER_BYTES);

    for (uint32_t i = 0; i < OTHER_BYTES; i += BLOCK_BYTES) (void)other[i];
    for (uint32_t i = LINE_BYTES; i < HW_CLUSTER_DATACACHEBYTES; i += BLOCK_BYTES) (void)other[i];
    __asm__ volatile("fence.i" ::: "memory");
}
#endif
