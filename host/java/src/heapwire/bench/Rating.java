package heapwire.bench;

import java.io.Serializable;

/** What a user thinks of an item: what alternating least squares factorises. */
public class Rating implements Serializable {
    private static final long serialVersionUID = 1L;

    public int user;
    public int item;
    public float rating;
}
