package heapwire.bench;

/** All values in order. */
public class DenseVector extends Vector {
    private static final long serialVersionUID = 1L;

    public double[] values;
}
