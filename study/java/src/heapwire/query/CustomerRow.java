package heapwire.query;

import java.io.Serializable;

/** A row of CUSTOMER. The balance is in cents. */
public class CustomerRow implements Serializable {
    private static final long serialVersionUID = 1L;

    public int customer;
    public String name;
    public String address;
    public int nation;
    public String phone;
    public long balance;
    public String segment;
}
