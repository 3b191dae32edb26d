package heapwire.bench;

import java.io.Serializable;

/** A user's rating of an item, the input of alternating least squares. */
public class Rating implements Serializable {
    private static final long serialVersionUID = 1L;

    public int user;
    public int item;
    public float rating;
}
