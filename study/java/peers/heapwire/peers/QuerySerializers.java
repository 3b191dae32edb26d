package heapwire.peers;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import heapwire.query.CustomerRevenue;
import heapwire.query.CustomerRow;
import heapwire.query.KeyedSum;
import heapwire.query.LineItemRow;
import heapwire.query.OrderRevenue;
import heapwire.query.OrderRow;
import heapwire.query.PartOffer;
import heapwire.query.PartRow;
import heapwire.query.PartSuppRow;
import heapwire.query.SupplierRow;

/** Hand-written serializers of what queries shuffle. study/firmware/peers/kryo/manual_write_queries.c has the same in C. */
final class QuerySerializers {
    private QuerySerializers() {}

    static void register(Kryo kryo) {
        ManualSerializers.records(kryo, LineItemRow.class, LineItemRow[]::new, QuerySerializers::writeItem, QuerySerializers::readItem);
        ManualSerializers.records(kryo, OrderRow.class, OrderRow[]::new, QuerySerializers::writeOrder, QuerySerializers::readOrder);
        ManualSerializers.records(kryo, CustomerRow.class, CustomerRow[]::new, QuerySerializers::writeCustomer, QuerySerializers::readCustomer);
        ManualSerializers.records(kryo, PartRow.class, PartRow[]::new, QuerySerializers::writePart, QuerySerializers::readPart);
        ManualSerializers.records(kryo, SupplierRow.class, SupplierRow[]::new, QuerySerializers::writeSupplier, QuerySerializers::readSupplier);
        ManualSerializers.records(kryo, PartSuppRow.class, PartSuppRow[]::new, QuerySerializers::writePartSupplier, QuerySerializers::readPartSupplier);
        ManualSerializers.records(kryo, PartOffer.class, PartOffer[]::new, QuerySerializers::writeOffer, QuerySerializers::readOffer);
        ManualSerializers.records(kryo, OrderRevenue.class, OrderRevenue[]::new, QuerySerializers::writeOrderRevenue, QuerySerializers::readOrderRevenue);
        ManualSerializers.records(kryo, CustomerRevenue.class, CustomerRevenue[]::new, QuerySerializers::writeCustomerRevenue, QuerySerializers::readCustomerRevenue);
        ManualSerializers.records(kryo, KeyedSum.class, KeyedSum[]::new, QuerySerializers::writeSum, QuerySerializers::readSum);
    }

    private static void writeItem(Output out, LineItemRow item) {
        out.writeVarInt(item.order, true);
        out.writeVarInt(item.quantity, true);
        out.writeVarLong(item.price, true);
        out.writeVarInt(item.discount, true);
        out.writeVarInt(item.tax, true);
        out.writeString(item.returnFlag);
        out.writeString(item.lineStatus);
        out.writeVarInt(item.shipped, true);
        out.writeVarInt(item.committed, true);
        out.writeVarInt(item.received, true);
    }

    private static LineItemRow readItem(Input in) {
        LineItemRow item = new LineItemRow();
        item.order = in.readVarInt(true);
        item.quantity = in.readVarInt(true);
        item.price = in.readVarLong(true);
        item.discount = in.readVarInt(true);
        item.tax = in.readVarInt(true);
        item.returnFlag = in.readString();
        item.lineStatus = in.readString();
        item.shipped = in.readVarInt(true);
        item.committed = in.readVarInt(true);
        item.received = in.readVarInt(true);
        return item;
    }

    private static void writeOrder(Output out, OrderRow order) {
        out.writeVarInt(order.order, true);
        out.writeVarInt(order.customer, true);
        out.writeVarInt(order.date, true);
        out.writeVarInt(order.shipPriority, true);
    }

    private static OrderRow readOrder(Input in) {
        OrderRow order = new OrderRow();
        order.order = in.readVarInt(true);
        order.customer = in.readVarInt(true);
        order.date = in.readVarInt(true);
        order.shipPriority = in.readVarInt(true);
        return order;
    }

    private static void writeCustomer(Output out, CustomerRow customer) {
        out.writeVarInt(customer.customer, true);
        out.writeString(customer.name);
        out.writeString(customer.address);
        out.writeVarInt(customer.nation, true);
        out.writeString(customer.phone);
        out.writeVarLong(customer.balance, false);
        out.writeString(customer.segment);
    }

    private static CustomerRow readCustomer(Input in) {
        CustomerRow customer = new CustomerRow();
        customer.customer = in.readVarInt(true);
        customer.name = in.readString();
        customer.address = in.readString();
        customer.nation = in.readVarInt(true);
        customer.phone = in.readString();
        customer.balance = in.readVarLong(false);
        customer.segment = in.readString();
        return customer;
    }

    private static void writePart(Output out, PartRow part) {
        out.writeVarInt(part.part, true);
        out.writeString(part.manufacturer);
    }

    private static PartRow readPart(Input in) {
        PartRow part = new PartRow();
        part.part = in.readVarInt(true);
        part.manufacturer = in.readString();
        return part;
    }

    private static void writeSupplier(Output out, SupplierRow supplier) {
        out.writeVarInt(supplier.supplier, true);
        out.writeString(supplier.name);
        out.writeVarInt(supplier.nation, true);
        out.writeString(supplier.phone);
        out.writeVarLong(supplier.balance, false);
    }

    private static SupplierRow readSupplier(Input in) {
        SupplierRow supplier = new SupplierRow();
        supplier.supplier = in.readVarInt(true);
        supplier.name = in.readString();
        supplier.nation = in.readVarInt(true);
        supplier.phone = in.readString();
        supplier.balance = in.readVarLong(false);
        return supplier;
    }

    private static void writePartSupplier(Output out, PartSuppRow row) {
        out.writeVarInt(row.part, true);
        out.writeVarInt(row.supplier, true);
        out.writeVarLong(row.cost, true);
    }

    private static PartSuppRow readPartSupplier(Input in) {
        PartSuppRow row = new PartSuppRow();
        row.part = in.readVarInt(true);
        row.supplier = in.readVarInt(true);
        row.cost = in.readVarLong(true);
        return row;
    }

    private static void writeOffer(Output out, PartOffer offer) {
        out.writeVarInt(offer.part, true);
        out.writeVarLong(offer.cost, true);
        writeSupplier(out, offer.supplier);
    }

    private static PartOffer readOffer(Input in) {
        PartOffer offer = new PartOffer();
        offer.part = in.readVarInt(true);
        offer.cost = in.readVarLong(true);
        offer.supplier = readSupplier(in);
        return offer;
    }

    private static void writeOrderRevenue(Output out, OrderRevenue revenue) {
        writeOrder(out, revenue.order);
        out.writeVarLong(revenue.revenue, true);
    }

    private static OrderRevenue readOrderRevenue(Input in) {
        OrderRevenue revenue = new OrderRevenue();
        revenue.order = readOrder(in);
        revenue.revenue = in.readVarLong(true);
        return revenue;
    }

    private static void writeCustomerRevenue(Output out, CustomerRevenue revenue) {
        writeCustomer(out, revenue.customer);
        out.writeVarLong(revenue.revenue, true);
    }

    private static CustomerRevenue readCustomerRevenue(Input in) {
        CustomerRevenue revenue = new CustomerRevenue();
        revenue.customer = readCustomer(in);
        revenue.revenue = in.readVarLong(true);
        return revenue;
    }

    private static void writeSum(Output out, KeyedSum sum) {
        out.writeVarInt(sum.key, true);
        out.writeVarLong(sum.sum, true);
    }

    private static KeyedSum readSum(Input in) {
        KeyedSum sum = new KeyedSum();
        sum.key = in.readVarInt(true);
        sum.sum = in.readVarLong(true);
        return sum;
    }
}
