#include "programs/bench/row.h"

#include <stdio.h>

static int exit_code;

uint32_t row_layout(void) {
    /* volatile, because the compiler assumes that no object has the address 0 */
    const volatile uintptr_t number = (uintptr_t)layout;

    return (uint32_t)number;
}

void row_print(const struct row *row) {
    if (!row->ok) exit_code = 1;
    printf("{\"suite\":\"%s\",\"case\":\"%s\",\"op\":\"%s\",\"engine\":\"%s\",\"model\":\"%s\",", row->suite, row->name,
           row->operation, row->engine, row->model);
    printf("\"cycles\":%lu,\"cold_cycles\":%lu,\"instret\":%lu,", (unsigned long)row->cycles,
           (unsigned long)row->cold_cycles, (unsigned long)row->instructions);
    printf("\"wire_bytes\":%lu,\"object_bytes\":%lu,\"read_bytes\":%lu,\"write_bytes\":%lu,",
           (unsigned long)row->wire_bytes, (unsigned long)row->object_bytes, (unsigned long)row->read_bytes,
           (unsigned long)row->write_bytes);
    if (row->busy_cycles)
        printf("\"busy_cycles\":%lu,\"read_stall_cycles\":%lu,\"table_stall_cycles\":%lu,\"write_stall_cycles\":%lu,",
               (unsigned long)row->busy_cycles, (unsigned long)row->read_stall_cycles,
               (unsigned long)row->table_stall_cycles, (unsigned long)row->write_stall_cycles);
    if (row->dram_read_bytes || row->dram_write_bytes)
        printf("\"dram_read_bytes\":%lu,\"dram_write_bytes\":%lu,", (unsigned long)row->dram_read_bytes,
               (unsigned long)row->dram_write_bytes);
    if (row->began) printf("\"began\":%lu,", (unsigned long)row->began);
    if (row->collections) printf("\"collections\":%lu,", (unsigned long)row->collections);
    if (row->digest) printf("\"digest\":%lu,", (unsigned long)row->digest);
    printf("\"fallbacks\":%lu,\"layout\":%lu,\"status\":%lu,\"ok\":%s}\n", (unsigned long)row->fallbacks,
           (unsigned long)row_layout(), (unsigned long)row->status, row->ok ? "true" : "false");
}

int bench_exit_code(void) { return exit_code; }
