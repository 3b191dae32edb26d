package heapwire.query;

import java.io.Serializable;

/** A customer and the revenue that was lost with it, in hundredths of a cent. */
public class CustomerRevenue implements Serializable {
    private static final long serialVersionUID = 1L;

    public CustomerRow customer;
    public long revenue;
}
