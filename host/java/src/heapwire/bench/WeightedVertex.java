package heapwire.bench;

import java.io.Serializable;

/** A vertex of NWeight: it names its neighbours, it does not refer to them. */
public class WeightedVertex implements Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public WeightedEdge[] edges;
}
