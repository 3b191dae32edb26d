/* The classes of Cereal that units know. For other drivers of the same units. */
#ifndef HW_CEREAL_REGISTER_H
#define HW_CEREAL_REGISTER_H

/* Waits until the units have no command in flight, of any thread. Called in an outermost critical section, which it
 * leaves and enters again; none is in flight while the section then lasts. Classes may be announced or forgotten only
 * in this state, because they must not change during a command. */
void hw_cereal_quiet(void);

/* In such a section: makes the units forget all classes, also those of other formats, and announces Cereal's again. */
void hw_cereal_tell_again(void);

#endif
