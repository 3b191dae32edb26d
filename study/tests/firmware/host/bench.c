/* The protobuf bench: `bench WORKLOAD` prints its rows. The times have no meaning on the host. */
#define main bench_main
#include "programs/bench/protobuf.c"
#undef main

#include "memory.h"

char layout[1];

void evict_caches(void) {}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    memory_map();
    memory_load(arguments[1], HW_LOAD_BASE, HW_LOAD_BYTES);
    return bench_main();
}
