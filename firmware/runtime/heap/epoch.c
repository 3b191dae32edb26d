#include "runtime/heap/epoch.h"

#include "runtime/compiler.h"
#include "runtime/heap/collect.h"

/* Aligned, because units read the table as one block. */
__attribute__((aligned(32))) uint32_t hw_open_epochs[HW_OPEN_EPOCHS];
_Static_assert(sizeof hw_open_epochs == 32, "open epochs");

uint32_t hw_epoch_resets, hw_epoch_oldest = UINT32_MAX, hw_epoch_newest, hw_epoch_in_use;

/* Returns the least owner word that counts of an entry's epoch; 0 for a free entry. */
static uint32_t least_owner(uint32_t entry) { return entry << HW_EPOCH_SHIFT | entry >> HW_EPOCH_BITS; }

/* Raises the least lower half that counts of `epoch` to `least` (epoch 0: changes no entry), then computes
 * hw_epoch_oldest. The caller is in a critical section. */
static COLD_CALL void renew(uint32_t epoch, uint32_t least) {
    uint32_t oldest = UINT32_MAX;

    for (int i = 0; i < HW_OPEN_EPOCHS; i++) {
        uint32_t entry = hw_open_epochs[i];

        if (entry == 0) continue;
        if ((entry & HW_EPOCH_LAST) == epoch && least > entry >> HW_EPOCH_BITS)
            hw_open_epochs[i] = entry = least << HW_EPOCH_BITS | epoch;
        if (least_owner(entry) < oldest) oldest = least_owner(entry);
    }
    hw_epoch_oldest = oldest;
}

bool hw_epoch_counts(uint32_t owner) {
    for (int i = 0; i < HW_OPEN_EPOCHS; i++)
        if (hw_open_epochs[i] && (hw_open_epochs[i] & HW_EPOCH_LAST) == owner >> HW_EPOCH_SHIFT)
            return owner >= least_owner(hw_open_epochs[i]);
    return false;
}

bool hw_epoch_restart(void) {
    if (hw_epoch_newest != HW_EPOCH_LAST || hw_epochs_open() != 0) return false;
    hw_epoch_newest = 0;
    return true;
}

uint32_t hw_epoch_open_another(void) {
    uint32_t epoch = 0;

    if (hw_epoch_newest == HW_EPOCH_LAST && hw_epochs_open() == 0) hw_collect(true);

    hw_critical_enter();
    for (int i = 0; i < HW_OPEN_EPOCHS && hw_epoch_newest < HW_EPOCH_LAST && epoch == 0; i++)
        if (hw_open_epochs[i] == 0) epoch = hw_open_epochs[i] = ++hw_epoch_newest;
    /* The new epoch has the highest number of all that are open. */
    if (epoch && hw_epoch_in_use++ == 0) hw_epoch_oldest = least_owner(epoch);
    hw_critical_leave();
    if (epoch == 0) hw_error_raise(HW_STATUS_OUT_OF_EPOCHS);
    return epoch;
}

void hw_epoch_close_another(uint32_t epoch) {
    hw_critical_enter();
    for (int i = 0; i < HW_OPEN_EPOCHS; i++)
        if (hw_open_epochs[i] && (hw_open_epochs[i] & HW_EPOCH_LAST) == epoch) {
            hw_open_epochs[i] = 0;
            hw_epoch_in_use--;
            break;
        }
    if (hw_epoch_in_use == 0)
        hw_epoch_oldest = UINT32_MAX;
    else if (hw_epoch_oldest >> HW_EPOCH_SHIFT == epoch)
        renew(0, 0);
    hw_critical_leave();
}

OFTEN void hw_epoch_retire(uint32_t epoch, uint32_t least) {
    hw_critical_enter();
    uint32_t entry = hw_open_epochs[0];

    /* The epoch is nearly always the only one that is open. */
    if (LIKELY(hw_epoch_in_use == 1 && entry && (entry & HW_EPOCH_LAST) == epoch)) {
        if (least > entry >> HW_EPOCH_BITS) hw_open_epochs[0] = entry = least << HW_EPOCH_BITS | epoch;
        hw_epoch_oldest = least_owner(entry);
    } else {
        renew(epoch, least);
    }
    hw_critical_leave();
}

void hw_epoch_reset(uint32_t next) {
    for (int i = 0; i < HW_OPEN_EPOCHS; i++) hw_open_epochs[i] = 0;
    hw_epoch_in_use = 0;
    hw_epoch_oldest = UINT32_MAX;
    hw_epoch_newest = next - 1;
    hw_epoch_resets++;
}

bool hw_epoch_claim(void *object, uint32_t owner) {
    const struct hw_klass *klass = hw_klass_of(object);
    uint32_t *word =
        (uint32_t *)((char *)object + (klass->object_size ? HW_OBJECT_METADATA_INSTANCE : HW_OBJECT_METADATA_ARRAY));

    return hw_epoch_take(word, owner, 1, 0);
}
