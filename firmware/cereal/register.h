/* What units are told of Cereal's classes, for other drivers of the same units. */
#ifndef HW_CEREAL_REGISTER_H
#define HW_CEREAL_REGISTER_H

/* In a critical section, not one within another, which it leaves and enters again: waits until the units have no command in flight, of any thread. So it
 * stays while the section lasts. Classes are told so, and so forgotten: a command that is under way would find others in the middle. */
void hw_cereal_quiet(void);

/* In such a section: units forget all classes, those of other formats too, and hear of Cereal's again. */
void hw_cereal_tell_again(void);

#endif
