/* A class loader for Skyway with the classes of the generated tables (docs/reference/classes.md). It finds them by
 * name; their fields are part of their identity. */
#ifndef HW_SKYWAY_REGISTRY_JAVA_LOADER_H
#define HW_SKYWAY_REGISTRY_JAVA_LOADER_H

#include "skyway/registry/registry.h"
#include "units/status.h"

extern const struct hw_skyway_loader hw_skyway_java_loader;

/* Loads every class of the tables that has serialization metadata, in their order. A program calls it once before it
 * sends. A safepoint. */
hw_status hw_skyway_load_java_classes(void);

#endif
