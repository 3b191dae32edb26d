package heapwire.query;

/** A row of CUSTOMER. The balance is in cents. */
public class CustomerRow implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int customer;
    public String name;
    public String address;
    public int nation;
    public String phone;
    public long balance;
    public String segment;
}
