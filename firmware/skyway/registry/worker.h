/* A worker's side of class numbering: what it asks the driver (docs/skyway.md, "Classes"). */
#ifndef HW_SKYWAY_REGISTRY_WORKER_H
#define HW_SKYWAY_REGISTRY_WORKER_H

#include "skyway/registry/link.h"
#include "skyway/registry/registry.h"

/* This machine is a worker from now on: asks the driver behind `link` for its view. The link serves for look-ups later, and must
 * stay. Every class forgets its id. HW_STATUS_OK or HW_SKYWAY_*, and then it is in no registry. A safepoint. */
int hw_skyway_join(struct skyway_link *link, const struct hw_skyway_loader *loader);

/* Gets what the driver has numbered since, up to `id` at least. A safepoint. */
int skyway_view_extend(uint32_t id);

/* LOOKUP: the class is in the view afterwards. A safepoint. */
int skyway_lookup(const char *name, uint32_t length, uint32_t fingerprint);

#endif
