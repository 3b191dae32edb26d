#include "runtime/heap/epoch.h"

#include "runtime/critical.h"
#include "runtime/heap/collect.h"

/* Units read it whole. */
__attribute__((aligned(32))) uint32_t hw_open_epochs[HW_OPEN_EPOCHS];
_Static_assert(sizeof hw_open_epochs == 32, "open epochs");

static uint32_t last;

uint32_t hw_epochs_open(void)
{
    uint32_t count = 0;

    for (int i = 0; i < HW_OPEN_EPOCHS; i++)
        count += hw_open_epochs[i] != 0;
    return count;
}

uint32_t hw_epoch_oldest(void)
{
    uint32_t oldest = HW_EPOCH_LAST + 1;

    for (int i = 0; i < HW_OPEN_EPOCHS; i++)
        if (hw_open_epochs[i] && hw_open_epochs[i] < oldest)
            oldest = hw_open_epochs[i];
    return oldest;
}

bool hw_epoch_is_open(uint32_t epoch)
{
    for (int i = 0; i < HW_OPEN_EPOCHS; i++)
        if (epoch && hw_open_epochs[i] == epoch)
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
    for (int i = 0; i < HW_OPEN_EPOCHS && last < HW_EPOCH_LAST && epoch == 0; i++)
        if (hw_open_epochs[i] == 0)
            epoch = hw_open_epochs[i] = ++last;
    hw_critical_leave();
    if (epoch == 0)
        hw_exception_raise(HW_OUT_OF_EPOCHS);
    return epoch;
}

void hw_epoch_close(uint32_t epoch)
{
    for (int i = 0; i < HW_OPEN_EPOCHS; i++)
        if (hw_open_epochs[i] == epoch)
            hw_open_epochs[i] = 0;
}

void hw_epoch_reset(uint32_t next)
{
    for (int i = 0; i < HW_OPEN_EPOCHS; i++)
        hw_open_epochs[i] = 0;
    last = next - 1;
}

bool hw_epoch_claim(void *object, uint32_t owner)
{
    const struct hw_klass *klass = hw_klass_of(object);
    uint32_t *word = (uint32_t *)((char *)object +
                                  (klass->object_size ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY));

    return hw_epoch_take(word, owner, 1);
}
