/* The program that the debugger test debugs: copies in rounds, by the unit's driver, then waits until a debugger
 * releases it. */
#include <stdint.h>
#include <string.h>

#include "units/capability.h"
#include "copy/copy.h"

#define ROUNDS 4
#define BYTES 320

uint32_t round_number;
volatile uint32_t released, waited;
uint8_t source[BYTES] __attribute__((aligned(64))), target[BYTES] __attribute__((aligned(64)));

/* Returns the exit code: 0, or the number of the failed check. */
int main(void) {
    hw_capability_discover();
    for (round_number = 1; round_number <= ROUNDS; round_number++) {
        for (uint32_t i = 0; i < BYTES; i++) source[i] = (uint8_t)(round_number * 31 + i);
        if (hw_copy(target, source, BYTES) != HW_STATUS_OK) return 1;
        if (memcmp(target, source, BYTES) != 0) return 2;
    }
    while (!released) waited++;
    if (hw_copy_state.fallbacks != 0 || hw_unit_counter(HW_UNIT_COPY, HW_COUNTER_COMMANDS) != ROUNDS) return 3;
    return 0;
}
