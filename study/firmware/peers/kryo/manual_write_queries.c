/* Hand-written writing of what queries shuffle. */
#include "peers/kryo/manual_write.h"

bool kryo_write_line_item(struct writer *writer, hw_ref item) {
    return VARINT(item, LineItemRow_order) && VARINT(item, LineItemRow_quantity) &&
           PRIMITIVE(item, LineItemRow_price, POSITIVE_LONG) && VARINT(item, LineItemRow_discount) &&
           VARINT(item, LineItemRow_tax) && STRING(item, LineItemRow_returnFlag) &&
           STRING(item, LineItemRow_lineStatus) && VARINT(item, LineItemRow_shipped) &&
           VARINT(item, LineItemRow_committed) && VARINT(item, LineItemRow_received);
}

bool kryo_write_order(struct writer *writer, hw_ref order) {
    return VARINT(order, OrderRow_order) && VARINT(order, OrderRow_customer) && VARINT(order, OrderRow_date) &&
           VARINT(order, OrderRow_shipPriority);
}

bool kryo_write_customer(struct writer *writer, hw_ref customer) {
    return VARINT(customer, CustomerRow_customer) && STRING(customer, CustomerRow_name) &&
           STRING(customer, CustomerRow_address) && VARINT(customer, CustomerRow_nation) &&
           STRING(customer, CustomerRow_phone) && PRIMITIVE(customer, CustomerRow_balance, 'J') &&
           STRING(customer, CustomerRow_segment);
}

bool kryo_write_part(struct writer *writer, hw_ref part) {
    return VARINT(part, PartRow_part) && STRING(part, PartRow_manufacturer);
}

bool kryo_write_supplier(struct writer *writer, hw_ref supplier) {
    return VARINT(supplier, SupplierRow_supplier) && STRING(supplier, SupplierRow_name) &&
           VARINT(supplier, SupplierRow_nation) && STRING(supplier, SupplierRow_phone) &&
           PRIMITIVE(supplier, SupplierRow_balance, 'J');
}

bool kryo_write_part_supplier(struct writer *writer, hw_ref row) {
    return VARINT(row, PartSuppRow_part) && VARINT(row, PartSuppRow_supplier) &&
           PRIMITIVE(row, PartSuppRow_cost, POSITIVE_LONG);
}

/* Writes an object that a record always has. */
static bool write_whole(struct writer *writer, hw_ref object, manual_write *write) {
    return object ? write(writer, object) : refuse(writer, HW_OBJECTS_UNSUPPORTED);
}

bool kryo_write_offer(struct writer *writer, hw_ref offer) {
    return VARINT(offer, PartOffer_part) && PRIMITIVE(offer, PartOffer_cost, POSITIVE_LONG) &&
           write_whole(writer, AT(offer, hw_ref, PartOffer_supplier), kryo_write_supplier);
}

bool kryo_write_order_revenue(struct writer *writer, hw_ref revenue) {
    return write_whole(writer, AT(revenue, hw_ref, OrderRevenue_order), kryo_write_order) &&
           PRIMITIVE(revenue, OrderRevenue_revenue, POSITIVE_LONG);
}

bool kryo_write_customer_revenue(struct writer *writer, hw_ref revenue) {
    return write_whole(writer, AT(revenue, hw_ref, CustomerRevenue_customer), kryo_write_customer) &&
           PRIMITIVE(revenue, CustomerRevenue_revenue, POSITIVE_LONG);
}

bool kryo_write_sum(struct writer *writer, hw_ref sum) {
    return VARINT(sum, KeyedSum_key) && PRIMITIVE(sum, KeyedSum_sum, POSITIVE_LONG);
}
