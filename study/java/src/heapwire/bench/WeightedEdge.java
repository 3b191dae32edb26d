package heapwire.bench;

/** The target and the weight of an edge of {@link WeightedVertex}. */
public class WeightedEdge implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public long target;
    public double weight;
}
