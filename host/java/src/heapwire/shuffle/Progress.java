package heapwire.shuffle;

import java.io.Serializable;

/** How much a worker has to say in a phase, by which all know when it is over. */
public class Progress implements Serializable {
    private static final long serialVersionUID = 1L;

    public int worker;
    public long amount;
}
