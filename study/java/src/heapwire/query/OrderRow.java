package heapwire.query;

/** A row of ORDERS. The date is a day. */
public class OrderRow implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int order;
    public int customer;
    public int date;
    public int shipPriority;
}
