/* Poisoning of emptied memory, with options.poison. The memory is overwritten and, in a build with ASan, inaccessible
 * until it is taken again. A raw reference that was kept too long is thus caught when it is read.
 */
#ifndef HW_RUNTIME_HEAP_POISON_H
#define HW_RUNTIME_HEAP_POISON_H

#include <string.h>

#include "runtime/heap/space.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#endif

/* Byte that fills emptied memory. Four of them are neither a valid class word nor an aligned reference. */
#define HW_POISON 0xad

/* Makes free memory inaccessible until hw_memory_allow. */
static inline void hw_memory_forbid(uint32_t start, uint32_t limit) {
    if (hw_space.options.poison) ASAN_POISON_MEMORY_REGION(hw_pointer(start), limit - start);
}

static inline void hw_memory_allow(uint32_t start, uint32_t limit) {
    ASAN_UNPOISON_MEMORY_REGION(hw_pointer(start), limit - start);
}

/* Poisons memory that held objects until now. */
static inline void hw_poison(uint32_t start, uint32_t limit) {
    if (!hw_space.options.poison) return;
    hw_memory_allow(start, limit);
    memset(hw_pointer(start), HW_POISON, limit - start);
    hw_memory_forbid(start, limit);
}

#endif
