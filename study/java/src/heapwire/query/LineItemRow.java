package heapwire.query;

/** A row of LINEITEM. Dates are days, prices cents, discount and tax per cent. */
public class LineItemRow implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int order;
    public int quantity;
    public long price;
    public int discount;
    public int tax;
    public String returnFlag;
    public String lineStatus;
    public int shipped;
    public int committed;
    public int received;
}
