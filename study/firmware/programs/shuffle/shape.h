/* Shapes of what workers send each other. A stream of Cereal or Skyway may put any object into any field: the formats
 * do not compare an object with its field's type. So a program looks at each object that it has received, and at those
 * in its fields, before it reads them. */
#ifndef HW_PROGRAMS_SHUFFLE_SHAPE_H
#define HW_PROGRAMS_SHUFFLE_SHAPE_H

#include "runtime/klass.h"
#include "runtime/object_stream.h"

struct shape {
    const struct hw_klass *klass, *array; /* of the object; of an array of such objects, or NULL */
    /* The fields that are references, none of them null. The last one has no shape. */
    struct {
        uint32_t offset;
        const struct shape *shape;
    } fields[5];
};

extern const struct shape shape_string, shape_word_count, shape_update, shape_vertex;
extern const struct shape shape_customer, shape_line_item, shape_order, shape_part, shape_part_supplier, shape_supplier;
extern const struct shape shape_part_offer, shape_order_revenue, shape_customer_revenue, shape_keyed_sum;

/* Returns whether the object has this shape. `object` is null or an object. */
bool shape_is(hw_ref object, const struct shape *shape);

/* Reads an array whose elements all have this shape. Returns NULL if something else comes. A safepoint. */
hw_handle shape_read_array(struct hw_object_input *stream, const struct shape *shape);

#endif
