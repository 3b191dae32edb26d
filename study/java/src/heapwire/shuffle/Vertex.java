package heapwire.shuffle;

import java.io.Serializable;

/** A vertex and some of its neighbours, in the order of their numbers. Triangle counting shuffles them. */
public class Vertex implements Serializable {
    private static final long serialVersionUID = 1L;

    public int id;
    public int[] neighbours;
}
