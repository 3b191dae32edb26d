package heapwire.bench;

import java.io.Serializable;

/** A vector of features, dense or sparse. */
public abstract class Vector implements Serializable {
    private static final long serialVersionUID = 1L;

    public int size;
}
