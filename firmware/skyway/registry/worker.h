/* A worker's side of class numbering: its requests to the driver (docs/reference/skyway.md, "Classes"). */
#ifndef HW_SKYWAY_REGISTRY_WORKER_H
#define HW_SKYWAY_REGISTRY_WORKER_H

#include "skyway/registry/link.h"
#include "skyway/registry/registry.h"
#include "units/status.h"

/* Makes this machine a worker: asks the driver behind `link` for its view. Later look-ups use the link, so it must
 * last. Every class loses its id. If it does not return HW_STATUS_OK, this machine is in no registry. A
 * safepoint. */
hw_status hw_skyway_join(struct skyway_link *link, const struct hw_skyway_loader *loader);

/* Extends the view by what the driver has numbered since, up to `id` at least. A safepoint. */
hw_status skyway_view_extend(uint32_t id);

/* LOOKUP: adds the class to the view. A safepoint. */
hw_status skyway_lookup(const char *name, uint32_t length, uint32_t fingerprint);

#endif
