#include <string.h>

#include "skyway/sender/sender.h"
#include "runtime/heap/heap.h"

/* Bytes per object: its address, its relative address, and two entries of the index, which is never more than half
 * full. */
#define ENTRY 16

static uint32_t collections(void) { return hw_heap_statistics.young_collections + hw_heap_statistics.full_collections; }

void skyway_shared_open(struct skyway_shared *shared, void *work, uint32_t bytes) {
    uint32_t size = bytes >= ENTRY ? 1u << (31 - __builtin_clz(bytes / ENTRY)) : 0;

    *shared = (struct skyway_shared){.objects = work,
                                     .relative = (uint32_t *)work + size,
                                     .index = (uint32_t *)work + 2 * size,
                                     .size = size,
                                     .mask = 2 * size - 1};
    skyway_shared_clear(shared);
}

OFTEN void skyway_shared_clear(struct skyway_shared *shared) { shared->count = 0; }

static uint32_t *place(struct skyway_shared *shared, hw_ref object) {
    uint32_t at = (object / HW_OBJECT_ALIGNMENT ^ object >> 12) & shared->mask;

    while (shared->index[at] && shared->objects[shared->index[at] - 1] != object) at = (at + 1) & shared->mask;
    return &shared->index[at];
}

/* Makes the index anew: it belongs to an earlier buffer or is not initialised, or addresses have changed. In the last
 * case the collector has updated the table, which is a root range. A buffer without shared objects needs no index. */
static void index_anew(struct skyway_shared *shared) {
    memset(shared->index, 0, 2 * shared->size * sizeof *shared->index);
    for (uint32_t i = 0; i < shared->count; i++) *place(shared, shared->objects[i]) = i + 1;
    shared->collections = collections();
}

uint32_t *skyway_shared_find(struct skyway_shared *shared, hw_ref object) {
    if (shared->count == 0) return NULL;
    if (shared->collections != collections()) index_anew(shared);
    uint32_t found = *place(shared, object);

    return found ? &shared->relative[found - 1] : NULL;
}

bool skyway_shared_add(struct skyway_shared *shared, hw_ref object, uint32_t relative) {
    if (shared->count == shared->size) return false;
    if (shared->count == 0 || shared->collections != collections()) index_anew(shared);
    shared->objects[shared->count] = object;
    shared->relative[shared->count] = relative;
    *place(shared, object) = ++shared->count;
    return true;
}
