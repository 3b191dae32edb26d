#include "programs/shuffle/shape.h"

#include "classes.h"
#include "runtime/java/string.h"

/* A class without references. */
#define PLAIN(class) {.klass = HW_CLASS_##class}
#define TEXT(class, field) {HW_CLASS_##class##_##field, &shape_string}

static const struct shape ints = PLAIN(int_array);

const struct shape shape_string = PLAIN(String);
const struct shape shape_word_count = {HW_CLASS_WordCount, {TEXT(WordCount, word)}};
const struct shape shape_update = PLAIN(Update);
const struct shape shape_vertex = {HW_CLASS_Vertex, {{HW_CLASS_Vertex_neighbours, &ints}}};
const struct shape shape_customer = {
    HW_CLASS_CustomerRow,
    {TEXT(CustomerRow, name), TEXT(CustomerRow, address), TEXT(CustomerRow, phone), TEXT(CustomerRow, segment)}};
const struct shape shape_line_item = {HW_CLASS_LineItemRow,
                                      {TEXT(LineItemRow, returnFlag), TEXT(LineItemRow, lineStatus)}};
const struct shape shape_order = PLAIN(OrderRow);
const struct shape shape_part = {HW_CLASS_PartRow, {TEXT(PartRow, manufacturer)}};
const struct shape shape_part_supplier = PLAIN(PartSuppRow);
const struct shape shape_supplier = {HW_CLASS_SupplierRow, {TEXT(SupplierRow, name), TEXT(SupplierRow, phone)}};
const struct shape shape_part_offer = {HW_CLASS_PartOffer, {{HW_CLASS_PartOffer_supplier, &shape_supplier}}};
const struct shape shape_order_revenue = {HW_CLASS_OrderRevenue, {{HW_CLASS_OrderRevenue_order, &shape_order}}};
const struct shape shape_customer_revenue = {HW_CLASS_CustomerRevenue,
                                             {{HW_CLASS_CustomerRevenue_customer, &shape_customer}}};
const struct shape shape_keyed_sum = PLAIN(KeyedSum);

bool shape_is(hw_ref object, const struct shape *shape) {
    if (!object || hw_klass_of(hw_pointer(object)) != shape->klass) return false;
    if (shape == &shape_string) return hw_string_is_sound(object);
    for (uint32_t i = 0; shape->fields[i].shape; i++)
        if (!shape_is(*(const hw_ref *)hw_pointer(object + shape->fields[i].offset), shape->fields[i].shape))
            return false;
    return true;
}

bool shape_is_array(hw_ref object, const struct hw_klass *array, const struct shape *shape) {
    if (!object || hw_klass_of(hw_pointer(object)) != array) return false;
    const hw_ref *elements = hw_pointer(object + hw_klass_elements(array));

    for (uint32_t i = 0; i < hw_array_length(object); i++)
        if (!shape_is(elements[i], shape)) return false;
    return true;
}
