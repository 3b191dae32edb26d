#include "programs/shuffle/shape.h"

#include "classes.h"
#include "runtime/java/string.h"

/* A class and its arrays, with the fields that are references. */
#define SHAPE(class, ...)                                           \
    {                                                               \
        HW_CLASS_##class, HW_CLASS_##class##_array, { __VA_ARGS__ } \
    }
#define TEXT(class, field) {HW_CLASS_##class##_##field, &shape_string}

static const struct shape ints = {.klass = HW_CLASS_int_array};

const struct shape shape_string = {.klass = HW_CLASS_String};
const struct shape shape_word_count = SHAPE(WordCount, TEXT(WordCount, word));
const struct shape shape_update = SHAPE(Update, {0});
const struct shape shape_vertex = SHAPE(Vertex, {HW_CLASS_Vertex_neighbours, &ints});
const struct shape shape_customer = SHAPE(CustomerRow, TEXT(CustomerRow, name), TEXT(CustomerRow, address),
                                          TEXT(CustomerRow, phone), TEXT(CustomerRow, segment));
const struct shape shape_line_item = SHAPE(LineItemRow, TEXT(LineItemRow, returnFlag), TEXT(LineItemRow, lineStatus));
const struct shape shape_order = SHAPE(OrderRow, {0});
const struct shape shape_part = SHAPE(PartRow, TEXT(PartRow, manufacturer));
const struct shape shape_part_supplier = SHAPE(PartSuppRow, {0});
const struct shape shape_supplier = SHAPE(SupplierRow, TEXT(SupplierRow, name), TEXT(SupplierRow, phone));
const struct shape shape_part_offer = SHAPE(PartOffer, {HW_CLASS_PartOffer_supplier, &shape_supplier});
const struct shape shape_order_revenue = SHAPE(OrderRevenue, {HW_CLASS_OrderRevenue_order, &shape_order});
const struct shape shape_customer_revenue =
    SHAPE(CustomerRevenue, {HW_CLASS_CustomerRevenue_customer, &shape_customer});
const struct shape shape_keyed_sum = SHAPE(KeyedSum, {0});

bool shape_is(hw_ref object, const struct shape *shape) {
    if (!object || hw_klass_of(hw_pointer(object)) != shape->klass) return false;
    if (shape == &shape_string) return hw_string_is_sound(object);
    for (uint32_t i = 0; shape->fields[i].shape; i++)
        if (!shape_is(*(const hw_ref *)hw_pointer(object + shape->fields[i].offset), shape->fields[i].shape))
            return false;
    return true;
}

hw_handle shape_read_array(struct hw_object_input *stream, const struct shape *shape) {
    hw_handle array;

    if (!hw_objects_read(stream, &array) || !array || hw_klass_of(hw_handle_object(array)) != shape->array) return NULL;
    const hw_ref *elements = hw_pointer(array->reference + hw_klass_elements(shape->array));

    for (uint32_t i = 0; i < hw_array_length(array->reference); i++)
        if (!shape_is(elements[i], shape)) return NULL;
    return array;
}
