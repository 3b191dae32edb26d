/* Initialize and RegisterClass: the set of classes. Units learn the set while they are idle and no other thread
 * runs. */
#include "runtime/registers.h"
#include "units/capability.h"
#include "cereal/flight.h"

void hw_cereal_initialize(bool strip) {
    hw_critical_enter();
    hw_cereal_quiet();
    hw_cereal_forget(strip);
    /* for objects whose headers are not in the stream */
    hw_registers_set(HW_REG_MARK_PROTOTYPE, HW_OBJECT_MARK_UNLOCKED);
    hw_registers_set(HW_REG_OPEN_EPOCHS, hw_reference(hw_open_epochs));
    hw_registers_set(HW_REG_CEREAL_CLASS_SET, 0);
    if (hw_front_end_present()) hw_command_set(HW_REG_CEREAL_MODE, HW_CEREAL_MODE_FORGET);
    hw_registers_set(HW_REG_CEREAL_MODE, strip ? HW_CEREAL_MODE_STRIP : 0);
    hw_critical_leave();
}

static void tell_units(const struct hw_cereal_class *class) {
    hw_registers_set(HW_REG_CEREAL_CLASS_SET, hw_cereal_set.fingerprint);
    if (!hw_front_end_present()) return;
    hw_command_set(HW_REG_CEREAL_CLASS_ID, class->id);
    hw_command_set(HW_REG_CEREAL_CLASS_KLASS, class->klass);
    hw_command_set(HW_REG_CEREAL_CLASS_SHAPE, hw_cereal_unit_shape(class));
    hw_command_set(HW_REG_CEREAL_CLASS_REFERENCES, class->references);
}

int32_t hw_cereal_register_class(const struct hw_klass *klass) {
    hw_critical_enter();
    hw_cereal_quiet();
    uint32_t count = hw_cereal_set.count;
    const struct hw_cereal_class *class = hw_cereal_add(klass);

    if (hw_cereal_set.count != count) tell_units(class);
    hw_critical_leave();
    return class ? (int32_t)class->id : HW_CEREAL_REFUSED;
}

void hw_cereal_tell_again(void) {
    if (!hw_front_end_present()) return;
    hw_command_set(HW_REG_CEREAL_MODE, HW_CEREAL_MODE_FORGET);
    hw_registers_set(HW_REG_CEREAL_MODE, hw_registers[HW_REG_CEREAL_MODE]);
    for (uint32_t id = 0; id < hw_cereal_set.count; id++) tell_units(&hw_cereal_classes[id]);
}
