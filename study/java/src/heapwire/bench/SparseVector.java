package heapwire.bench;

/** The non-zero values and their indices. */
public class SparseVector extends Vector {
    private static final long serialVersionUID = 1L;

    public int[] indices;
    public double[] values;
}
