#include "unit_model.h"

#include <string.h>

#include "skyway/receiver/receiver.h"
#include "skyway/sender/sender.h"
#include "runtime/thread.h"

#define MOST 4096

struct unit_model unit_model;

static hw_ref waiting[MOST];
static uint32_t count, top;
static const struct hw_skyway_sending *sending;

static uint32_t bytes_of(hw_ref object) { return hw_object_bytes(hw_pointer(object)); }

/* Returns the object's relative address. Returns 0 if there is no room. */
static uint32_t number(hw_ref object) {
    uint32_t *word = skyway_metadata(object, hw_klass_of(hw_pointer(object)));

    if (word[0] == sending->owner) return word[1];
    if (count == unit_model.stop) return 0;
    EXPECT(count < MOST);
    waiting[count++] = object;
    word[0] = sending->owner;
    word[1] = top;
    top += bytes_of(object);
    return word[1];
}

static bool is_reference(const struct hw_klass *klass, uint32_t at) {
    return klass->object_size ? at >= 16 && hw_klass_is_reference(klass, at)
                              : klass->kind == HW_KLASS_KIND_OBJECT_ARRAY && at >= 24;
}

static bool model_send(const struct hw_skyway_sending *given, struct hw_skyway_sent *sent) {
    uint8_t *to = given->output;
    bool whole;

    unit_model.calls++;
    unit_model.quiet = false;
    sending = given;
    count = 0;
    top = given->relative;
    EXPECT((uintptr_t)given->work % 64 == 0 && given->work_log >= 6);
    memset(given->work, 0xa5, (size_t)1 << given->work_log);
    *sent = (struct hw_skyway_sent){.status = unit_model.reason ? unit_model.reason : HW_STATUS_OUTPUT_FULL};
    whole = number(given->object) != 0;
    for (uint32_t i = 0; i < count; i++) {
        hw_ref object = waiting[i];
        const struct hw_klass *klass = hw_klass_of(hw_pointer(object));
        uint32_t bytes = bytes_of(object);

        sent->types = klass->type_id > sent->types ? klass->type_id : sent->types;
        if (!whole || (size_t)(given->output_limit - to) < bytes) {
            whole = false;
            continue;
        }
        uint32_t *slot = memcpy(to, hw_pointer(object), bytes);

        slot[0] = skyway_clone_mark(object);
        slot[1] = klass->type_id;
        memset(skyway_metadata(hw_reference(slot), klass), 0, 8);
        if (!klass->object_size) slot[5] = 0;
        for (uint32_t at = 0; at < bytes && whole; at += 4)
            if (is_reference(klass, at) && slot[at / 4] && !(slot[at / 4] = number(slot[at / 4]))) whole = false;
        if (!klass->object_size) {
            uint32_t used = 24 + (slot[2] << klass->element_shift);

            memset((uint8_t *)slot + used, 0, bytes - used);
        }
        to += bytes;
    }
    if (unit_model.fault)
        sent->status = unit_model.fault;
    else if (whole)
        sent->status = HW_STATUS_OK;
    sent->objects = count;
    sent->top = top;
    return true;
}

static bool model_receive(const struct hw_skyway_moving *moving, struct hw_skyway_moved *moved) {
    uint32_t stray = 0;

    unit_model.calls++;
    unit_model.quiet = false;
    *moved = (struct hw_skyway_moved){.status = unit_model.fault ? unit_model.fault : HW_STATUS_UNSUPPORTED};
    EXPECT((uintptr_t)moving->map % 64 == 0 && moving->map_bytes % 64 == 0 && moving->map_bytes * 64 >= moving->bytes);
    memset(moving->map, 0, moving->map_bytes);
    if (unit_model.refuses || unit_model.fault) return true;
    moved->replaced = true;
    for (uint32_t at = 0; at < moving->bytes;) {
        uint32_t *slot = hw_pointer(moving->chunk + at);

        moving->map[at / 256] |= 1u << at / 8 % 32;
        slot[1] = hw_reference(skyway_registry_klass(slot[1]));
        at += bytes_of(moving->chunk + at);
    }
    for (uint32_t at = 0, bytes; at < moving->bytes; at += bytes) {
        uint32_t *slot = hw_pointer(moving->chunk + at);

        bytes = bytes_of(moving->chunk + at);
        for (uint32_t i = 0; i < bytes; i += 4)
            if (is_reference(hw_klass_of(slot), i) && slot[i / 4]) {
                uint32_t offset = slot[i / 4] - SKYWAY_FIRST;

                if (!(moving->map[offset / 256] >> offset / 8 % 32 & 1) && (stray == 0 || slot[i / 4] < stray))
                    stray = slot[i / 4];
                slot[i / 4] = moving->chunk + offset;
            }
    }
    moved->status = stray ? HW_STATUS_BAD_REFERENCE : HW_STATUS_OK;
    moved->at = stray;
    return true;
}

static int model_copy(void *to, const void *from, uint32_t bytes) {
    unit_model.copies++;
    if (unit_model.copy_fault) return unit_model.copy_fault;
    memcpy(to, from, bytes);
    return HW_STATUS_OK;
}

static void model_quiet(void) {
    EXPECT(hw_critical_depth == 1);
    if (unit_model.meanwhile) {
        void (*meanwhile)(void) = unit_model.meanwhile;

        unit_model.meanwhile = NULL;
        hw_critical_leave();
        meanwhile();
        hw_critical_enter();
    }
    unit_model.quiet = true;
}

/* No command of the unit may be in flight, and no other thread may run. */
static void model_learn(const struct hw_klass *klass) {
    EXPECT(unit_model.quiet && hw_critical_depth == 1 && klass->type_id != 0);
    unit_model.classes[klass->type_id] = klass;
    unit_model.learned++;
}

static void model_forget(void) {
    EXPECT(unit_model.quiet && hw_critical_depth == 1);
    memset(unit_model.classes, 0, sizeof unit_model.classes);
    unit_model.learned = 0;
}

const struct hw_skyway_assist unit_model_assist = {
    .send = model_send,
    .receive = model_receive,
    .copy = model_copy,
    .quiet = model_quiet,
    .learn = model_learn,
    .forget = model_forget,
};
