package heapwire.bench;

/** A node of a directed graph, with the targets of its edges. The graph may have cycles. */
public class GraphNode implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public long value;
    public GraphNode[] edges;
}
