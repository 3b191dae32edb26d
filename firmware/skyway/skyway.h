/* Skyway: object graphs from heap to heap (K. Nguyen et al., ASPLOS 2018), described in docs/reference/skyway.md.
 *
 * Class numbering: registry.h, worker.h, driver.h, java_loader.h. Phases: phase.h. Streams: output.h, input.h, over
 * medium.h, file.h, transfer.h. Fields that change on the way: update.h. Receivers with other heaps:
 * heap.h.
 */
#ifndef HW_SKYWAY_SKYWAY_H
#define HW_SKYWAY_SKYWAY_H

#include "skyway/heap.h"
#include "skyway/receiver/input.h"
#include "skyway/sender/output.h"
#include "skyway/phase.h"
#include "skyway/registry/registry.h"
#include "skyway/receiver/update.h"
#include "skyway/registry/worker.h"

#endif
