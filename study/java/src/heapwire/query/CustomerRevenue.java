package heapwire.query;

/** A customer and the revenue that was lost with it, in hundredths of a cent. */
public class CustomerRevenue implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public CustomerRow customer;
    public long revenue;
}
