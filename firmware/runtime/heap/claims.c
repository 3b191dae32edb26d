#include "runtime/heap/epoch.h"

#include "runtime/heap/safepoint.h"

uint32_t hw_claiming;
bool (*hw_claims_by_units)(void);

void hw_claims_wait(void) {
    while (hw_claims_by_units()) hw_critical_pause();
}
