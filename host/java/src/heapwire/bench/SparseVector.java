package heapwire.bench;

/** The values that are not zero, and where they are. */
public class SparseVector extends Vector {
    private static final long serialVersionUID = 1L;

    public int[] indices;
    public double[] values;
}
