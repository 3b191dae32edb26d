package heapwire.query;

/** A row of PARTSUPP: what a supplier asks for a part, in cents. */
public class PartSuppRow implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int part;
    public int supplier;
    public long cost;
}
