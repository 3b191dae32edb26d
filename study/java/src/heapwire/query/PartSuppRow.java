package heapwire.query;

import java.io.Serializable;

/** A row of PARTSUPP: what a supplier asks for a part, in cents. */
public class PartSuppRow implements Serializable {
    private static final long serialVersionUID = 1L;

    public int part;
    public int supplier;
    public long cost;
}
