/* Hand-written reading of what queries shuffle. */
#include "peers/kryo/manual_read.h"

bool kryo_read_line_item(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_LineItemRow, held) && VARINT(LineItemRow_order) &&
           VARINT(LineItemRow_quantity) && PRIMITIVE(LineItemRow_price, POSITIVE_LONG) &&
           VARINT(LineItemRow_discount) && VARINT(LineItemRow_tax) && STRING(LineItemRow_returnFlag) &&
           STRING(LineItemRow_lineStatus) && VARINT(LineItemRow_shipped) && VARINT(LineItemRow_committed) &&
           VARINT(LineItemRow_received);
}

bool kryo_read_order(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_OrderRow, held) && VARINT(OrderRow_order) && VARINT(OrderRow_customer) &&
           VARINT(OrderRow_date) && VARINT(OrderRow_shipPriority);
}

bool kryo_read_customer(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_CustomerRow, held) && VARINT(CustomerRow_customer) && STRING(CustomerRow_name) &&
           STRING(CustomerRow_address) && VARINT(CustomerRow_nation) && STRING(CustomerRow_phone) &&
           PRIMITIVE(CustomerRow_balance, 'J') && STRING(CustomerRow_segment);
}

bool kryo_read_part(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_PartRow, held) && VARINT(PartRow_part) && STRING(PartRow_manufacturer);
}

bool kryo_read_supplier(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_SupplierRow, held) && VARINT(SupplierRow_supplier) && STRING(SupplierRow_name) &&
           VARINT(SupplierRow_nation) && STRING(SupplierRow_phone) && PRIMITIVE(SupplierRow_balance, 'J');
}

bool kryo_read_part_supplier(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_PartSuppRow, held) && VARINT(PartSuppRow_part) && VARINT(PartSuppRow_supplier) &&
           PRIMITIVE(PartSuppRow_cost, POSITIVE_LONG);
}

bool kryo_read_offer(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_PartOffer, held) && VARINT(PartOffer_part) &&
           PRIMITIVE(PartOffer_cost, POSITIVE_LONG) &&
           read_field(reader, held, HW_CLASS_PartOffer_supplier, kryo_read_supplier);
}

bool kryo_read_order_revenue(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_OrderRevenue, held) &&
           read_field(reader, held, HW_CLASS_OrderRevenue_order, kryo_read_order) &&
           PRIMITIVE(OrderRevenue_revenue, POSITIVE_LONG);
}

bool kryo_read_customer_revenue(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_CustomerRevenue, held) &&
           read_field(reader, held, HW_CLASS_CustomerRevenue_customer, kryo_read_customer) &&
           PRIMITIVE(CustomerRevenue_revenue, POSITIVE_LONG);
}

bool kryo_read_sum(struct reader *reader, uint32_t held) {
    return new_object(reader, HW_CLASS_KeyedSum, held) && VARINT(KeyedSum_key) &&
           PRIMITIVE(KeyedSum_sum, POSITIVE_LONG);
}
