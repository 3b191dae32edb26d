package heapwire.shuffle;

import java.io.Serializable;

/** What a vertex is told by a neighbour: a share of a rank, a component's name, an edge. */
public class Update implements Serializable {
    private static final long serialVersionUID = 1L;

    public int vertex;
    public long value;
}
