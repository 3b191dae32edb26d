#include "skyway/registry/registry.h"

#include <string.h>

#include "skyway/units/assist.h"
#include "runtime/crc32.h"
#include "runtime/thread.h"
#include "runtime/heap/object.h"

struct skyway_registry skyway_registry;

static char names[HW_SKYWAY_NAME_BYTES];

/* A hash table over names: ids; 0 for a free entry. */
#define SLOTS (2 * SKYWAY_CLASSES)
static uint16_t by_name[SLOTS];

_Static_assert(SKYWAY_CLASSES <= UINT16_MAX, "a type id has 16 bits");

static uint16_t *slot_of(const char *name, uint32_t length) {
    uint32_t at = hw_crc32(0, name, length) % SLOTS;

    for (; by_name[at]; at = (at + 1) % SLOTS) {
        const char *other = skyway_registry.classes[by_name[at]].name;

        if (strlen(other) == length && memcmp(other, name, length) == 0) break;
    }
    return &by_name[at];
}

void skyway_registry_reset(uint32_t number, const struct hw_skyway_loader *loader, bool driver) {
    skyway_classes_enter();
    for (uint32_t id = 1; id <= skyway_registry.count; id++)
        if (skyway_registry.classes[id].klass) skyway_registry.classes[id].klass->type_id = 0;
    memset(by_name, 0, sizeof by_name);
    if (hw_skyway_assist) hw_skyway_assist->forget();
    skyway_registry.number = number;
    skyway_registry.resets++;
    skyway_registry.count = skyway_registry.name_bytes = 0;
    skyway_registry.loader = loader;
    skyway_registry.driver = driver;
    hw_critical_leave();
}

uint32_t skyway_registry_find(const char *name, uint32_t length) { return *slot_of(name, length); }

bool skyway_registry_add(const char *name, uint32_t length, uint32_t fingerprint) {
    struct skyway_registry *registry = &skyway_registry;

    hw_critical_enter();
    bool room = registry->count != SKYWAY_CLASSES && length < HW_SKYWAY_NAME_BYTES - registry->name_bytes;

    if (room) {
        char *copy = names + registry->name_bytes;

        memcpy(copy, name, length);
        copy[length] = 0;
        registry->name_bytes += length + 1;
        registry->count++;
        registry->classes[registry->count] = (struct skyway_class){.name = copy, .fingerprint = fingerprint};
        *slot_of(name, length) = (uint16_t)registry->count;
    }
    hw_critical_leave();
    return room;
}

uint32_t skyway_registry_give(const char *name, uint32_t length, uint32_t fingerprint) {
    hw_critical_enter();
    uint32_t id = skyway_registry.driver ? skyway_registry_find(name, length) : 0;

    if (id == 0 && skyway_registry.driver && skyway_registry_add(name, length, fingerprint)) id = skyway_registry.count;
    hw_critical_leave();
    return id;
}

uint32_t skyway_fingerprint(const struct hw_klass *klass) {
    uint32_t header = klass->flags & HW_KLASS_FLAG_METADATA ? HW_OBJECT_METADATA_INSTANCE + HW_OBJECT_METADATA_SIZE
                                                            : HW_OBJECT_HEADER_SIZE;
    uint32_t body = klass->object_size ? klass->object_size - header : 0;
    uint8_t shape[6] = {(uint8_t)klass->kind,  klass->object_size ? 0 : (uint8_t)klass->element_shift,
                        (uint8_t)body,         (uint8_t)(body >> 8),
                        (uint8_t)(body >> 16), (uint8_t)(body >> 24)};
    uint32_t crc = hw_crc32(0, shape, sizeof shape);

    for (uint32_t offset = header; offset < klass->object_size; offset += 4) {
        uint8_t bit = hw_klass_is_reference(klass, offset);

        crc = hw_crc32(crc, &bit, 1);
    }
    if (skyway_registry.loader && skyway_registry.loader->fields) crc = skyway_registry.loader->fields(klass, crc);
    return crc;
}

/* Binds the class to its id and the id to the class, provided that the id is still its own. */
static hw_status bind(uint32_t id, struct hw_klass *klass) {
    uint32_t fingerprint = skyway_fingerprint(klass);
    struct skyway_class *class = &skyway_registry.classes[id];
    hw_status status = HW_STATUS_OK;

    skyway_classes_enter();
    if (id == 0 || id > skyway_registry.count || strcmp(class->name, hw_pointer(klass->name)) != 0)
        status = HW_SKYWAY_OTHER_REGISTRY;
    else if (class->fingerprint != fingerprint)
        status = HW_SKYWAY_CLASS_CONFLICT;
    if (status == HW_STATUS_OK) {
        /* Another klass of this name, with another header, loses the id: only one klass has it. */
        if (class->klass && class->klass != klass) class->klass->type_id = 0;
        class->klass = klass;
        klass->type_id = (uint16_t)id;
        if (hw_skyway_assist) hw_skyway_assist->learn(klass);
    }
    hw_critical_leave();
    return status;
}

hw_status hw_skyway_load_class(struct hw_klass *klass) {
    const char *name = hw_pointer(klass->name);
    hw_status status;

    if (skyway_registry.number == 0) return HW_SKYWAY_NO_REGISTRY;
    if (skyway_registry_klass(klass->type_id) == klass) return HW_STATUS_OK;
    if ((status = skyway_suits(klass)) != HW_STATUS_OK) return status;
    uint32_t length = (uint32_t)strlen(name), id = skyway_registry_find(name, length);

    if (id == 0 && skyway_registry.driver) {
        if ((id = skyway_registry_give(name, length, skyway_fingerprint(klass))) == 0)
            return skyway_registry.driver ? HW_SKYWAY_REGISTRY_FULL : HW_SKYWAY_OTHER_REGISTRY;
    } else if (id == 0) {
        if ((status = skyway_lookup(name, length, skyway_fingerprint(klass))) != HW_STATUS_OK) return status;
        id = skyway_registry_find(name, length);
    }
    return bind(id, klass);
}

struct hw_klass *skyway_registry_resolve(uint32_t id, hw_status *status) {
    struct hw_klass *klass = skyway_registry_klass(id);

    *status = HW_STATUS_OK;
    if (klass) return klass;
    if (id == 0 || id > skyway_registry.count)
        *status = HW_STATUS_BAD_VALUE;
    else if (!skyway_registry.loader || !(klass = skyway_registry.loader->find(skyway_registry.classes[id].name)))
        *status = HW_SKYWAY_UNKNOWN_CLASS;
    else if ((*status = skyway_suits(klass)) == HW_STATUS_OK)
        *status = bind(id, klass);
    else if (*status == HW_STATUS_UNREGISTERED_CLASS)
        *status = HW_SKYWAY_UNKNOWN_CLASS;
    return *status == HW_STATUS_OK ? klass : NULL;
}

/* Which classes can be numbered. Afterwards software and units trust what a klass says. */

/* Returns whether all references of an instance are among its slots [first, limit). */
static bool refers_within(const struct hw_klass *klass, uint32_t first, uint32_t limit) {
    const uint32_t *words = &klass->reference_bitmap;
    uint32_t count = 1;

    if (klass->reference_bitmap & HW_KLASS_LONG_BITMAP) {
        hw_ref table = klass->reference_bitmap << 1;

        if (table == 0 || table % sizeof *words != 0) return false;
        words = hw_pointer(table);
        count = *words++;
    }
    if (count > limit / 32 + 1) return false;
    return count == 0 ||
           ((words[0] & ((1u << first) - 1)) == 0 && (limit / 32 >= count || words[limit / 32] >> limit % 32 == 0));
}

static bool is_instance(const struct hw_klass *klass) {
    uint32_t metadata = klass->flags & HW_KLASS_FLAG_METADATA ? HW_OBJECT_METADATA_SIZE : 0, size = klass->object_size;

    return size >= HW_OBJECT_HEADER_SIZE + metadata && size % HW_OBJECT_ALIGNMENT == 0 &&
           refers_within(klass, metadata / 4, (size - HW_OBJECT_HEADER_SIZE) / 4);
}

hw_status skyway_suits(const struct hw_klass *klass) {
    bool sound, array = klass->object_size == 0 && klass->reference_bitmap == 0;

    if (klass->name == 0 || strlen(hw_pointer(klass->name)) > SKYWAY_NAME_MAX) return HW_STATUS_UNREGISTERED_CLASS;
    switch (klass->kind) {
        case HW_KLASS_KIND_INSTANCE:
            sound = is_instance(klass);
            break;
        case HW_KLASS_KIND_PRIMITIVE_ARRAY:
            sound = array && klass->element_shift <= 3;
            break;
        case HW_KLASS_KIND_OBJECT_ARRAY:
            sound = array && klass->element_shift == 2;
            break;
        default:
            return HW_STATUS_UNREGISTERED_CLASS;
    }
    return sound ? HW_STATUS_OK : HW_SKYWAY_BAD_CLASS;
}
