package heapwire.bench;

/** A vector of features, dense or sparse. */
public abstract class Vector implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int size;
}
