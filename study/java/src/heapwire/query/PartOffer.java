package heapwire.query;

import java.io.Serializable;

/** A row of PARTSUPP joined with one of SUPPLIER. */
public class PartOffer implements Serializable {
    private static final long serialVersionUID = 1L;

    public int part;
    public long cost;
    public SupplierRow supplier;
}
