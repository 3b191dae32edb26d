#include "skyway/registry/registry.h"

#include <string.h>

#include "packet/body.h"
#include "runtime/heap/safepoint.h"

static struct skyway_link *driver;
static struct packet request;

/* The thread whose call to the driver is under way; NULL: none. There is one call at a time, and collections may run
 * during it. */
static const struct hw_thread *asking;

/* Waits for the turn, at a safepoint. Returns false if the caller already has it: it then runs inside an answer to a
 * request that arrived meanwhile. */
static bool turn_take(void) {
    if (asking == hw_thread) return false;
    hw_critical_enter();
    while (asking) {
        hw_critical_leave();
        hw_safepoint_enter();
        hw_thread_yield();
        hw_safepoint_leave();
        hw_critical_enter();
    }
    asking = hw_thread;
    hw_critical_leave();
    return true;
}

static hw_status turn_end(hw_status status) {
    asking = NULL;
    return status;
}

static struct packet *begin(enum skyway_operation operation) {
    request.operation = (uint8_t)operation;
    request.length = 0;
    append(&request, skyway_registry.number);
    return &request;
}

/* Sends the request and translates the answer's status. `least`: fewest words of a good answer. */
static hw_status call(uint32_t least) {
    const struct packet *answer = &driver->incoming;

    if (!skyway_link_call(driver, &request)) return HW_SKYWAY_LOST_DRIVER;
    switch (answer->status) {
        case SKYWAY_OK:
            return answer->length >= 4 * least ? HW_STATUS_OK : HW_SKYWAY_LOST_DRIVER;
        case SKYWAY_OTHER_REGISTRY:
            return HW_SKYWAY_OTHER_REGISTRY;
        case SKYWAY_CONFLICT:
            return HW_SKYWAY_CLASS_CONFLICT;
        case SKYWAY_FULL:
            return HW_SKYWAY_REGISTRY_FULL;
        default: /* no driver gives such an answer */
            return HW_SKYWAY_LOST_DRIVER;
    }
}

/* Adds the entries of an answer to REQUEST_VIEW, which come next in the view. */
static hw_status add_entries(const struct packet *answer) {
    uint32_t at = 8;

    while (at < answer->length) {
        uint32_t fingerprint, length;

        if (answer->length - at < 6) return HW_SKYWAY_LOST_DRIVER;
        memcpy(&fingerprint, answer->body + at, 4);
        length = answer->body[at + 4] | (uint32_t)answer->body[at + 5] << 8;
        at += 6;
        if (length == 0 || length > SKYWAY_NAME_MAX || length > answer->length - at) return HW_SKYWAY_LOST_DRIVER;
        if (!skyway_registry_add((const char *)answer->body + at, length, fingerprint)) return HW_SKYWAY_REGISTRY_FULL;
        at += length;
    }
    return HW_STATUS_OK;
}

static hw_status extend(uint32_t id) {
    uint32_t last = id;

    if (!driver || skyway_registry.driver) return HW_STATUS_OK;
    while (skyway_registry.count < last) {
        uint32_t known = skyway_registry.count;

        append(begin(SKYWAY_REQUEST_VIEW), known + 1);
        hw_status status = call(2);

        if (status == HW_STATUS_OK && skyway_registry.number == 0)
            skyway_registry.number = word_at(&driver->incoming, 0);
        if (status == HW_STATUS_OK) status = add_entries(&driver->incoming);
        if (status != HW_STATUS_OK) return status;
        /* The answer tells how many ids the driver has. If none of them came, the caller finds out. */
        last = word_at(&driver->incoming, 1);
        if (skyway_registry.count == known) return last > known ? HW_SKYWAY_LOST_DRIVER : HW_STATUS_OK;
    }
    return HW_STATUS_OK;
}

hw_status skyway_view_extend(uint32_t id) { return turn_take() ? turn_end(extend(id)) : HW_SKYWAY_LOST_DRIVER; }

void hw_skyway_drive(uint32_t number, const struct hw_skyway_loader *loader) {
    bool taken = turn_take();

    skyway_registry_reset(number, loader, true);
    if (taken) turn_end(HW_STATUS_OK);
}

static hw_status join(struct skyway_link *link, const struct hw_skyway_loader *loader) {
    driver = link;
    skyway_registry_reset(0, loader, false);
    hw_status status = extend(1);

    if (status == HW_STATUS_OK && skyway_registry.number != 0) return HW_STATUS_OK;
    skyway_registry_reset(0, loader, false);
    return status == HW_STATUS_OK ? HW_SKYWAY_LOST_DRIVER : status;
}

hw_status hw_skyway_join(struct skyway_link *link, const struct hw_skyway_loader *loader) {
    return turn_take() ? turn_end(join(link, loader)) : HW_SKYWAY_LOST_DRIVER;
}

static hw_status look_up(const char *name, uint32_t length, uint32_t fingerprint) {
    struct packet *packet = begin(SKYWAY_LOOKUP);

    append(packet, fingerprint);
    memcpy(packet->body + packet->length, name, length);
    packet->length += length;
    hw_status status = call(1);
    uint32_t id = status == HW_STATUS_OK ? word_at(&driver->incoming, 0) : 0;

    if (status != HW_STATUS_OK) return status;
    if ((status = extend(id)) != HW_STATUS_OK) return status;
    return skyway_registry_find(name, length) == id && id != 0 ? HW_STATUS_OK : HW_SKYWAY_LOST_DRIVER;
}

hw_status skyway_lookup(const char *name, uint32_t length, uint32_t fingerprint) {
    return turn_take() ? turn_end(look_up(name, length, fingerprint)) : HW_SKYWAY_LOST_DRIVER;
}
