/* Skyway: object graphs from heap to heap (K. Nguyen et al., ASPLOS 2018), described in docs/skyway.md.
 *
 * Class numbering: registry.h, worker.h, driver.h, java_loader.h. Phases: phase.h. Streams: output.h, input.h, over
 * medium.h, file.h, transfer.h. Fields that change on the way: update.h.
 */
#ifndef HW_CODECS_SKYWAY_SKYWAY_H
#define HW_CODECS_SKYWAY_SKYWAY_H

#include "codecs/skyway/input.h"
#include "codecs/skyway/output.h"
#include "codecs/skyway/phase.h"
#include "codecs/skyway/registry.h"
#include "codecs/skyway/update.h"
#include "codecs/skyway/worker.h"

#endif
