/* Skyway's work by Cereal's units, where they have its modes (docs/units/cereal_skyway.md).
 *
 *   hw_skyway_assist_by(hw_skyway_units());
 *
 * Again after hw_cereal_initialize, which makes units forget all classes.
 */
#ifndef HW_UNITS_SKYWAY_H
#define HW_UNITS_SKYWAY_H

#include "codecs/skyway/assist.h"

/* What the streams ask; NULL: there are no units with these modes. */
const struct hw_skyway_assist *hw_skyway_units(void);

#endif
