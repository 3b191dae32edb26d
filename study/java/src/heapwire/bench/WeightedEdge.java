package heapwire.bench;

import java.io.Serializable;

/** The target and the weight of an edge of {@link WeightedVertex}. */
public class WeightedEdge implements Serializable {
    private static final long serialVersionUID = 1L;

    public long target;
    public double weight;
}
