/* The classes of Cereal that units know. For other drivers of the same units. */
#ifndef HW_CEREAL_REGISTER_H
#define HW_CEREAL_REGISTER_H

#include "cereal/codec/class.h"

/* Waits until the units have no command in flight, of any thread. Called in an outermost critical section, which it
 * leaves and enters again; none is in flight while the section then lasts. Classes may be announced or forgotten only
 * in this state, because they must not change during a command. */
void hw_cereal_quiet(void);

/* In such a section: makes the units forget all classes, also those of other formats, and announces Cereal's again. */
void hw_cereal_tell_again(void);

/* Returns the word of HW_REG_CEREAL_CLASS_SHAPE. Classes with more slots than the next word has bits are left to
 * software. They are announced all the same, because an id that units do not know is a malformed stream. */
static inline uint32_t hw_cereal_unit_shape(const struct hw_cereal_class *class) {
    uint32_t kind = class->slots > HW_CEREAL_SHAPE_SLOTS ? HW_CEREAL_KIND_ELSEWHERE : class->kind;

    return kind << HW_CEREAL_SHAPE_KIND_BIT | (class->size ? class->size : class->shift);
}

#endif
