package heapwire.query;

/** A row of SUPPLIER. The balance is in cents. */
public class SupplierRow implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int supplier;
    public String name;
    public int nation;
    public String phone;
    public long balance;
}
