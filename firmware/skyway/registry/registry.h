/* Global class numbering: the type registry of a driver, the registry view of a worker (docs/skyway.md, "Classes").
 *
 * A machine is one of both. Ids are 1 and up; a class has its id in its klass from when it was loaded. Threads may number, load and look up at any time, but
 * in a critical section.
 */
#ifndef HW_SKYWAY_REGISTRY_REGISTRY_H
#define HW_SKYWAY_REGISTRY_REGISTRY_H

#include <stdbool.h>

#include "skyway/status.h"
#include "runtime/klass.h"

#define HW_SKYWAY_CLASSES 2048
#define HW_SKYWAY_NAME_BYTES 65536
#define HW_SKYWAY_NAME_MAX 980 /* of a class's name: it travels in one packet */

/* Where classes come from that a stream names and no program has loaded yet. */
struct hw_skyway_loader {
    /* The class of this name, as Class.getName has it; NULL: there is none. */
    struct hw_klass *(*find)(const char *name);
    /* Continues a fingerprint with what is known of the class's fields beyond its layout; NULL: nothing is. */
    uint32_t (*fields)(const struct hw_klass *klass, uint32_t crc);
};

struct skyway_class {
    const char *name;
    uint32_t fingerprint;
    struct hw_klass *klass; /* NULL: not loaded */
};

struct skyway_registry {
    uint32_t number;    /* drawn by the driver when it began; 0: this machine is in no registry */
    uint32_t resets;    /* how often every class has forgotten its id: of the same driver, too */
    uint32_t count;     /* ids known, 1 .. count */
    uint32_t name_bytes;
    const struct hw_skyway_loader *loader;
    bool driver;
    struct skyway_class classes[HW_SKYWAY_CLASSES + 1]; /* by id */
};

extern struct skyway_registry skyway_registry;

/* This machine is the driver from now on; `number`, not 0, tells its registry from every other and from its own before a
 * restart. Every class forgets its id, and buffers under way end in HW_SKYWAY_OTHER_REGISTRY. A safepoint. */
void hw_skyway_drive(uint32_t number, const struct hw_skyway_loader *loader);

/* A class is loaded: it gets its id, by a LOOKUP at the driver if the view lacks it. A safepoint. HW_STATUS_OK,
 * HW_STATUS_UNREGISTERED_CLASS for a class without name or with a longer one, or of no kind that can be
 * sent, HW_SKYWAY_BAD_CLASS, or another HW_SKYWAY_*. */
int hw_skyway_load_class(struct hw_klass *klass);

/* What tells two versions of a class apart, whatever the header of its objects. */
uint32_t skyway_fingerprint(const struct hw_klass *klass);

/* Whether objects of the class can be cloned: HW_STATUS_OK; HW_STATUS_UNREGISTERED_CLASS: it is neither instance nor array, or has no name or a longer one;
 * HW_SKYWAY_BAD_CLASS: sizes or references are no such class's. */
int skyway_suits(const struct hw_klass *klass);

/* Forgets everything; `number` 0: no registry. */
void skyway_registry_reset(uint32_t number, const struct hw_skyway_loader *loader, bool driver);

/* The id of a name, 0: none. */
uint32_t skyway_registry_find(const char *name, uint32_t length);

/* Adds a class under the next id. False: no room. */
bool skyway_registry_add(const char *name, uint32_t length, uint32_t fingerprint);

/* Of a driver: the id of a name, which is added if it is new. 0: no room. */
uint32_t skyway_registry_give(const char *name, uint32_t length, uint32_t fingerprint);

/* The klass of an id, loaded now if it was not. NULL: no such id, or no such class here, or another version of it, which
 * `status` tells. */
struct hw_klass *skyway_registry_resolve(uint32_t id, int *status);

static inline struct hw_klass *skyway_registry_klass(uint32_t id)
{
    return id <= skyway_registry.count ? skyway_registry.classes[id].klass : NULL;
}

#endif
