package heapwire.query;

/** A row of PARTSUPP joined with one of SUPPLIER. */
public class PartOffer implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int part;
    public long cost;
    public SupplierRow supplier;
}
