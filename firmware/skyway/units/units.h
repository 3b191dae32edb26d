/* Skyway's work done by Cereal's units, if they have modes for it (docs/reference/units/cereal_skyway.md).
 *
 *   hw_skyway_assist_by(hw_skyway_units());
 *
 * Repeat the call after hw_cereal_initialize, which makes units forget all classes.
 */
#ifndef HW_SKYWAY_UNITS_UNITS_H
#define HW_SKYWAY_UNITS_UNITS_H

#include "skyway/units/assist.h"

/* Returns the functions that Skyway's streams call; NULL if no unit has these modes. */
const struct hw_skyway_assist *hw_skyway_units(void);

#endif
