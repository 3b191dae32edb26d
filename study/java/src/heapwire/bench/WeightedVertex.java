package heapwire.bench;

/** A vertex of NWeight. It names its neighbours by id and does not refer to them. */
public class WeightedVertex implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public long id;
    public WeightedEdge[] edges;
}
