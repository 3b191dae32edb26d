/* Skyway's work done by Cereal's units, if they have modes for it (docs/units/cereal_skyway.md).
 *
 *   hw_skyway_assist_by(hw_skyway_units());
 *
 * Repeat the call after hw_cereal_initialize, which makes units forget all classes.
 */
#ifndef HW_UNITS_SKYWAY_H
#define HW_UNITS_SKYWAY_H

#include "codecs/skyway/assist.h"

/* Returns the functions that Skyway's streams call; NULL if no unit has these modes. */
const struct hw_skyway_assist *hw_skyway_units(void);

#endif
