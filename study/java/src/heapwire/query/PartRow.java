package heapwire.query;

/** A row of PART. */
public class PartRow implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int part;
    public String manufacturer;
}
