/* The classes of the generated tables (docs/classes.md) for Skyway: found by name, told apart by their fields too. */
#ifndef HW_SKYWAY_REGISTRY_JAVA_LOADER_H
#define HW_SKYWAY_REGISTRY_JAVA_LOADER_H

#include "skyway/registry/registry.h"

extern const struct hw_skyway_loader hw_skyway_java_loader;

/* Loads every class of the tables that has serialization metadata, in their order: what a program that is about to send does
 * once. A safepoint. */
int hw_skyway_load_java_classes(void);

#endif
