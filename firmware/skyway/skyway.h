/* Skyway: object graphs from heap to heap (K. Nguyen et al., ASPLOS 2018), described in docs/reference/skyway.md.
 *
 * Class numbering: registry.h. Phases: phase.h. Streams, and fields that change on the way: output.h, input.h, over
 * medium.h, file.h, transfer.h. Receivers with other heaps: format.h.
 */
#ifndef HW_SKYWAY_SKYWAY_H
#define HW_SKYWAY_SKYWAY_H

#include "skyway/receiver/input.h"
#include "skyway/sender/output.h"
#include "skyway/phase.h"
#include "skyway/registry/registry.h"

#endif
