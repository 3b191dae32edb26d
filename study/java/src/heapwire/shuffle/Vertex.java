package heapwire.shuffle;

/** A vertex and some of its neighbours, in the order of their numbers. Triangle counting shuffles them. */
public class Vertex implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int id;
    public int[] neighbours;
}
