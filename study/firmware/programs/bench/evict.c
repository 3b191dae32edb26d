#include "programs/bench/timing.h"
#include "runtime/object.h"
#include "runtime/regions.h"

/* Twice the size of this cluster's caches. */
#define OTHER_BYTES (2 * (uint32_t)(HW_CLUSTER_SHAREDCACHEBYTES + HW_CLUSTER_DATACACHEBYTES))
#define LINE_BYTES 32u  /* of the core's data cache, which has one way */
#define BLOCK_BYTES 64u /* of the shared cache */

void evict_caches(void) {
    /* The end of the flexible arena, which small data do not reach. */
    const volatile char *other = hw_pointer(HW_FLEXIBLE_BASE + HW_FLEXIBLE_BYTES - OTHER_BYTES);

    for (uint32_t i = 0; i < OTHER_BYTES; i += BLOCK_BYTES) (void)other[i];
    for (uint32_t i = LINE_BYTES; i < HW_CLUSTER_DATACACHEBYTES; i += BLOCK_BYTES) (void)other[i];
    __asm__ volatile("fence.i" ::: "memory");
}
