package heapwire.bench;

import java.io.Serializable;

/** A directed graph, which may have cycles: a node and where its edges lead. */
public class GraphNode implements Serializable {
    private static final long serialVersionUID = 1L;

    public long value;
    public GraphNode[] edges;
}
