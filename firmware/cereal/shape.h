/* What units are told of classes. */
#ifndef HW_CEREAL_SHAPE_H
#define HW_CEREAL_SHAPE_H

#include "cereal/codec/class.h"

/* The word of HW_REG_CEREAL_CLASS_SHAPE. Classes of more slots than the next word has bits for are left to software: an
 * id that units have not heard of is a malformed stream. */
static inline uint32_t hw_cereal_unit_shape(const struct hw_cereal_class *class)
{
    uint32_t kind = class->slots > HW_CEREAL_SHAPE_SLOTS ? HW_CEREAL_KIND_ELSEWHERE : class->kind;

    return kind << HW_CEREAL_SHAPE_KIND_BIT | (class->size ? class->size : class->shift);
}

#endif
