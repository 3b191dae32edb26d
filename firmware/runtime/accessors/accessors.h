/* The header that generated accessors include (docs/reference/accessors.md). */
#ifndef HW_RUNTIME_ACCESSORS_ACCESSORS_H
#define HW_RUNTIME_ACCESSORS_ACCESSORS_H

#include "runtime/accessors/build.h"
#include "runtime/accessors/compare.h"
#include "runtime/accessors/map.h"
#include "runtime/accessors/unknown.h"

#endif
