package heapwire.query;

import java.io.Serializable;

/** An order and its revenue, in hundredths of a cent. */
public class OrderRevenue implements Serializable {
    private static final long serialVersionUID = 1L;

    public OrderRow order;
    public long revenue;
}
