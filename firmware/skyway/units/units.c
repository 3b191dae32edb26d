#include "skyway/units/assist.h"

#include "runtime/registers.h"
#include "units/capability.h"
#include "cereal/flight.h"
#include "copy/copy.h"

static uint32_t modes(void) { return hw_front_end_present() ? hw_command_info(HW_INFO_MODES) : 0; }

static int32_t submit_send(const struct hw_skyway_sending *sending) {
    int32_t tag;

    do {
        tag = hw_command_start(HW_OP_SKYWAY_WRITE_OBJECT, sending->object, hw_reference(sending->output),
                               hw_reference(sending->output_limit), hw_reference(sending->work) | sending->work_log,
                               sending->owner, sending->bound, sending->limit, sending->relative);
    } while (tag == HW_SUBMIT_RETRY);
    return tag;
}

/* No thread may claim objects in software during the command. A thread that is claiming finishes first; then the
 * critical section keeps other threads from running until the command ends. */
static OFTEN bool send(const struct hw_skyway_sending *sending, struct hw_skyway_sent *sent) {
    int32_t tag = HW_SUBMIT_QUEUE_FULL;

    if (!(modes() & HW_INFO_MODE_SKYWAY_WRITE)) return false;
    hw_critical_enter();
    for (;;) {
        hw_registers_set(HW_REG_OLDEST_OWNER, hw_epoch_oldest_owner());
        if (!hw_claiming && (tag = submit_send(sending)) != HW_SUBMIT_QUEUE_FULL) break;
        hw_critical_pause();
    }
    if (tag >= 0) {
        sent->status = hw_command_finish(tag);
        sent->types = hw_command_result(0, tag);
        sent->top = hw_command_result(2, tag);
        if (UNLIKELY(sent->status != HW_STATUS_OK)) {
            sent->objects = hw_command_result(1, tag);
            sent->at = hw_command_result(3, tag);
        }
        hw_command_release(tag);
    }
    hw_critical_leave();
    return tag >= 0;
}

static int32_t submit_receive(const struct hw_skyway_moving *moving) {
    int32_t tag;

    do {
        tag = hw_command_start(HW_OP_SKYWAY_READ_OBJECT, moving->chunk, moving->bytes, hw_reference(moving->map),
                               hw_reference(moving->map) + moving->map_bytes, 0, 0, 0, 0);
    } while (tag == HW_SUBMIT_RETRY);
    return tag;
}

/* Other threads run during the command. hw_cereal_others tells threads that announce classes to units that it is in
 * flight. */
static OFTEN bool receive(const struct hw_skyway_moving *moving, struct hw_skyway_moved *moved) {
    int32_t tag = HW_SUBMIT_QUEUE_FULL;

    if (!(modes() & HW_INFO_MODE_SKYWAY_READ)) return false;
    hw_safepoint_settle(); /* the thread's own commands may hold every tag */
    hw_critical_enter();
    while (hw_cereal_held_off || (tag = submit_receive(moving)) == HW_SUBMIT_QUEUE_FULL) hw_critical_pause();
    hw_cereal_others += tag >= 0;
    hw_critical_leave();
    if (tag < 0) return false;
    moved->status = hw_command_finish(tag);
    if (UNLIKELY(moved->status != HW_STATUS_OK)) {
        moved->replaced = hw_command_result(1, tag) != 0;
        moved->at = hw_command_result(2, tag);
    }
    hw_command_release(tag);
    hw_critical_enter();
    hw_cereal_others--;
    hw_critical_leave();
    return true;
}

/* Settles first, because the thread's own commands may hold every tag. */
static OFTEN int copy(void *to, const void *from, uint32_t bytes) {
    hw_safepoint_settle();
    return hw_copy(to, from, bytes);
}

/* Announces a class as Cereal's are announced, but by type id. Classes with more slots than the last word has bits for
 * are left to software. */
static void learn(const struct hw_klass *klass) {
    const uint32_t header = HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE;
    uint32_t kind = klass->kind, references = 0;

    if (!hw_front_end_present() || !(klass->flags & HW_KLASS_FLAG_METADATA)) return;
    if (klass->object_size > header + 4 * HW_CEREAL_SHAPE_SLOTS) kind = HW_CEREAL_KIND_ELSEWHERE;
    for (uint32_t at = header; at < klass->object_size && kind == HW_CEREAL_KIND_INSTANCE; at += 4)
        references |= (uint32_t)hw_klass_is_reference(klass, at) << (at - header) / 4;
    hw_command_set(HW_REG_CEREAL_CLASS_ID, HW_CEREAL_ID_TYPE | klass->type_id);
    hw_command_set(HW_REG_CEREAL_CLASS_KLASS, hw_reference(klass));
    hw_command_set(HW_REG_CEREAL_CLASS_SHAPE,
                   kind << HW_CEREAL_SHAPE_KIND_BIT | (klass->object_size ? klass->object_size : klass->element_shift));
    hw_command_set(HW_REG_CEREAL_CLASS_REFERENCES, references);
}

static const struct hw_skyway_assist units = {.send = send,
                                              .receive = receive,
                                              .copy = copy,
                                              .quiet = hw_cereal_quiet,
                                              .learn = learn,
                                              .forget = hw_cereal_tell_again};

const struct hw_skyway_assist *hw_skyway_units(void) {
    if (!(modes() & (HW_INFO_MODE_SKYWAY_WRITE | HW_INFO_MODE_SKYWAY_READ))) return NULL;
    hw_registers_set(HW_REG_OPEN_EPOCHS, hw_reference(hw_open_epochs));
    return &units;
}
