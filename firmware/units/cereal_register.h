/* What units are told of Cereal's classes, for other drivers of the same units. */
#ifndef HW_UNITS_CEREAL_REGISTER_H
#define HW_UNITS_CEREAL_REGISTER_H

/* Units forget all classes, those of other formats too, and hear of Cereal's again. */
void hw_cereal_tell_again(void);

#endif
