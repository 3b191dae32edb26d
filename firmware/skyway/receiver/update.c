#include "skyway/receiver/input.h"
#include "runtime/compiler.h"

static struct {
    const struct hw_klass *klass;
    uint32_t offset;
    hw_skyway_update *update;
    void *context;
} updates[HW_SKYWAY_UPDATES];
static uint32_t count;

bool hw_skyway_register_update(const struct hw_klass *klass, uint32_t offset, hw_skyway_update *update, void *context) {
    if (count == HW_SKYWAY_UPDATES) return false;
    updates[count].klass = klass;
    updates[count].offset = offset;
    updates[count].update = update;
    updates[count++].context = context;
    return true;
}

void hw_skyway_forget_updates(void) { count = 0; }

OFTEN bool skyway_any_updated(void) { return count != 0; }

bool skyway_is_updated(const struct hw_klass *klass) {
    for (uint32_t i = 0; i < count; i++)
        if (updates[i].klass == klass) return true;
    return false;
}

bool skyway_update(hw_ref object) {
    const struct hw_klass *klass = hw_klass_of(hw_pointer(object));
    bool done = true;

    for (uint32_t i = 0; i < count && done; i++) {
        if (updates[i].klass != klass) continue;
        hw_scope scope = hw_scope_open();
        hw_handle handle = hw_handle_new(object);

        done = handle && updates[i].update(handle, updates[i].offset, updates[i].context);
        hw_scope_close(scope);
    }
    return done;
}
