package heapwire.bench;

import java.io.Serializable;

/** Where an edge leads and what it weighs, of {@link WeightedVertex}. */
public class WeightedEdge implements Serializable {
    private static final long serialVersionUID = 1L;

    public long target;
    public double weight;
}
