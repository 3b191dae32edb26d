package heapwire.query;

import java.io.Serializable;

/** A row of PART. */
public class PartRow implements Serializable {
    private static final long serialVersionUID = 1L;

    public int part;
    public String manufacturer;
}
