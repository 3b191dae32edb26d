/* Skyway's work by Cereal's units, where they have its modes (docs/units/cereal_skyway.md).
 *
 *   hw_skyway_assist_by(hw_skyway_units());
 *
 * Again after hw_cereal_initialize, which makes units forget all classes.
 */
#ifndef HW_SKYWAY_UNITS_UNITS_H
#define HW_SKYWAY_UNITS_UNITS_H

#include "skyway/units/assist.h"

/* What the streams ask; NULL: there are no units with these modes. */
const struct hw_skyway_assist *hw_skyway_units(void);

#endif
