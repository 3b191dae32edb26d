package heapwire.query;

/** An order and its revenue, in hundredths of a cent. */
public class OrderRevenue implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public OrderRow order;
    public long revenue;
}
