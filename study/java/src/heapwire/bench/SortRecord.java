package heapwire.bench;

/** A record of Terasort: a key of 10 bytes, a value of 90. */
public class SortRecord implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public byte[] key;
    public byte[] value;
}
