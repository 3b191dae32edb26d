package heapwire.query;

/** A key of a group and a sum over its rows. */
public class KeyedSum implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int key;
    public long sum;
}
