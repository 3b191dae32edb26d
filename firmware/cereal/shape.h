/* How classes are announced to units. */
#ifndef HW_CEREAL_SHAPE_H
#define HW_CEREAL_SHAPE_H

#include "cereal/codec/class.h"

/* Returns the word of HW_REG_CEREAL_CLASS_SHAPE. Classes with more slots than the next word has bits are left to
 * software. They are announced all the same, because an id that units do not know is a malformed stream. */
static inline uint32_t hw_cereal_unit_shape(const struct hw_cereal_class *class) {
    uint32_t kind = class->slots > HW_CEREAL_SHAPE_SLOTS ? HW_CEREAL_KIND_ELSEWHERE : class->kind;

    return kind << HW_CEREAL_SHAPE_KIND_BIT | (class->size ? class->size : class->shift);
}

#endif
