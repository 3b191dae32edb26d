/* Global class numbering: the type registry of a driver, the registry view of a worker (docs/reference/skyway.md,
 * "Classes").
 *
 * A machine is either driver or worker. Ids begin at 1. A class has its id in its klass from when it is loaded. Threads
 * may number, load and look up classes at any time, but not in a critical section.
 */
#ifndef HW_SKYWAY_REGISTRY_REGISTRY_H
#define HW_SKYWAY_REGISTRY_REGISTRY_H

#include <stdbool.h>

#include "records/skyway.h"
#include "records/status.h"
#include "runtime/klass.h"
#include "units/status.h"
#include "skyway/registry/link.h"

#define HW_SKYWAY_NAME_BYTES 65536

typedef void skyway_field_visit(void *context, uint32_t offset, uint32_t bytes, bool reference);

/* The source of classes that a stream names and that no program has loaded yet. */
struct hw_skyway_loader {
    /* Returns the class of this name, in Class.getName's form; NULL if there is none. */
    struct hw_klass *(*find)(const char *name);
    /* Continues a fingerprint with what is known of the class's fields beyond its layout. NULL: nothing is. */
    uint32_t (*fields)(const struct hw_klass *klass, uint32_t crc);
    /* Calls `visit` for each field of an instance, in the order in which heaps place fields (docs/reference/skyway.md,
     * "Heap formats"). Returns false if nothing is known of the class's fields. NULL: it never is. */
    bool (*each_field)(const struct hw_klass *klass, skyway_field_visit *visit, void *context);
};

struct skyway_class {
    const char *name;
    uint32_t fingerprint;
    struct hw_klass *klass; /* NULL: not loaded */
};

struct skyway_registry {
    uint32_t number; /* chosen by the driver when it began; 0: this machine is in no registry */
    uint32_t resets; /* how often all classes have lost their ids; also counts restarts with the same driver */
    uint32_t count;  /* known ids are 1 .. count */
    uint32_t name_bytes;
    const struct hw_skyway_loader *loader;
    bool driver;
    struct skyway_class classes[SKYWAY_CLASSES + 1]; /* by id */
};

extern struct skyway_registry skyway_registry;

/* Makes this machine the driver. `number`, not 0, tells its registry from every other and from its own before a
 * restart. Every class loses its id, and buffers under way end in HW_SKYWAY_OTHER_REGISTRY. A safepoint. */
void hw_skyway_drive(uint32_t number, const struct hw_skyway_loader *loader);

/* Gives a class its id, by a LOOKUP at the driver if the view lacks it. A safepoint. Returns HW_STATUS_OK;
 * HW_STATUS_UNREGISTERED_CLASS for a class without a name, with one longer than SKYWAY_NAME_MAX, or of a kind that
 * cannot be sent; HW_SKYWAY_BAD_CLASS; or another status. */
hw_status hw_skyway_load_class(struct hw_klass *klass);

/* Returns the fingerprint by which two versions of a class differ. It does not depend on the header of its objects. */
uint32_t skyway_fingerprint(const struct hw_klass *klass);

/* Returns whether objects of the class can be cloned: HW_STATUS_OK; HW_STATUS_UNREGISTERED_CLASS if it is neither
 * instance nor array, has no name or too long a name; HW_SKYWAY_BAD_CLASS if no class of its kind has its sizes or
 * references. */
hw_status skyway_suits(const struct hw_klass *klass);

/* Forgets all classes. `number` 0: no registry. */
void skyway_registry_reset(uint32_t number, const struct hw_skyway_loader *loader, bool driver);

/* Returns the id of a name; 0 if it has none. */
uint32_t skyway_registry_find(const char *name, uint32_t length);

/* Adds a class with the next id. Returns false if there is no room. */
bool skyway_registry_add(const char *name, uint32_t length, uint32_t fingerprint);

/* On a driver: returns the id of a name, which is added if it is new. Returns 0 if there is no room. */
uint32_t skyway_registry_give(const char *name, uint32_t length, uint32_t fingerprint);

/* Returns the klass of an id, and loads it if necessary. Returns NULL if there is no such id, no such class here, or
 * only another version of it; `status` tells which. */
struct hw_klass *skyway_registry_resolve(uint32_t id, hw_status *status);

static inline struct hw_klass *skyway_registry_klass(uint32_t id) {
    return id <= skyway_registry.count ? skyway_registry.classes[id].klass : NULL;
}

/* A worker's side of class numbering: its requests to the driver (docs/reference/skyway.md, "Classes"). */

/* Makes this machine a worker: asks the driver behind `link` for its view. Later look-ups use the link, so it must
 * last. Every class loses its id. If it does not return HW_STATUS_OK, this machine is in no registry. A
 * safepoint. */
hw_status hw_skyway_join(struct skyway_link *link, const struct hw_skyway_loader *loader);

/* Extends the view by what the driver has numbered since, up to `id` at least. A safepoint. */
hw_status skyway_view_extend(uint32_t id);

/* LOOKUP: adds the class to the view. A safepoint. */
hw_status skyway_lookup(const char *name, uint32_t length, uint32_t fingerprint);

/* The driver's side of class numbering: answers REQUEST_VIEW and LOOKUP from this machine's registry. */

/* Answers the request if it is one of these two; else returns false. */
bool skyway_driver_answer(const struct packet *request, struct packet *response);

/* A class loader for Skyway with the classes of the generated tables (docs/reference/classes.md). It finds them by
 * name; their fields are part of their identity. */

extern const struct hw_skyway_loader hw_skyway_java_loader;

/* Loads every class of the tables that has serialization metadata, in their order. A program calls it once before it
 * sends. A safepoint. */
hw_status hw_skyway_load_java_classes(void);

#endif
