/* A program on LiteX's software that uses the copy unit, by its driver. */
#include <stdio.h>
#include <string.h>

#include "units/capability.h"
#include "copy/copy.h"
#include "runtime/regions.h"

#define BYTES 1000u

static unsigned char *const source = (unsigned char *)HW_LOAD_BASE, *const target = (unsigned char *)HW_FIXED_BASE + 3;

int main(void) {
    hw_capability_discover();
    for (unsigned i = 0; i < BYTES; i++) source[i] = (unsigned char)(i * 7);
    memset(target - 1, 0xEE, BYTES + 2);
    int status = hw_copy(target, source, BYTES);
    int same = memcmp(target, source, BYTES) == 0 && target[-1] == 0xEE && target[BYTES] == 0xEE;
    printf("copy units %lu, status %d, same %d, fallbacks %lu\n", (unsigned long)hw_unit_count(HW_UNIT_COPY), status,
           same, (unsigned long)hw_copy_state.fallbacks);
    return !same;
}
