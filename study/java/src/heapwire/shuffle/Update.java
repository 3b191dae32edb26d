package heapwire.shuffle;

/** A message to a vertex from a neighbour: a share of a rank, a component's name, or an edge. */
public class Update implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int vertex;
    public long value;
}
