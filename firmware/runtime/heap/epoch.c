#include "runtime/heap/epoch.h"

#include "runtime/critical.h"
#include "runtime/heap/collect.h"

#define OPEN_EPOCHS 8

static uint32_t open[OPEN_EPOCHS]; /* 0: free */
static uint32_t last;

/* Owner word: epoch above, owner below. */
#define EPOCH_SHIFT 16

uint32_t hw_epochs_open(void)
{
    uint32_t count = 0;

    for (int i = 0; i < OPEN_EPOCHS; i++)
        count += open[i] != 0;
    return count;
}

static bool is_open(uint32_t epoch)
{
    for (int i = 0; i < OPEN_EPOCHS; i++)
        if (epoch && open[i] == epoch)
            return true;
    return false;
}

bool hw_epoch_restart(void)
{
    if (last != HW_EPOCH_LAST || hw_epochs_open() != 0)
        return false;
    last = 0;
    return true;
}

uint32_t hw_epoch_open(void)
{
    uint32_t epoch = 0;

    if (last == HW_EPOCH_LAST && hw_epochs_open() == 0)
        hw_collect(true);

    hw_critical_enter();
    for (int i = 0; i < OPEN_EPOCHS && last < HW_EPOCH_LAST && epoch == 0; i++)
        if (open[i] == 0)
            epoch = open[i] = ++last;
    hw_critical_leave();
    if (epoch == 0)
        hw_exception_raise(HW_OUT_OF_EPOCHS);
    return epoch;
}

void hw_epoch_close(uint32_t epoch)
{
    for (int i = 0; i < OPEN_EPOCHS; i++)
        if (open[i] == epoch)
            open[i] = 0;
}

void hw_epoch_reset(uint32_t next)
{
    for (int i = 0; i < OPEN_EPOCHS; i++)
        open[i] = 0;
    last = next - 1;
}

bool hw_epoch_claim(void *object, uint32_t owner)
{
    const struct hw_klass *klass = hw_klass_of(object);
    uint32_t *word = (uint32_t *)((char *)object +
                                  (klass->object_size ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY));
    uint32_t found = __atomic_load_n(word, __ATOMIC_ACQUIRE);

    do {
        if (found == owner)
            return true;
        if (is_open(found >> EPOCH_SHIFT))
            return false;
    } while (!__atomic_compare_exchange_n(word, &found, owner, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return true;
}
