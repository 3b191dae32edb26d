package heapwire.bench;

/** A user's rating of an item, the input of alternating least squares. */
public class Rating implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int user;
    public int item;
    public float rating;
}
