package heapwire.shuffle;

/** The amount of a worker's messages in a phase. From it all workers know when the phase is over. */
public class Progress implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public int worker;
    public long amount;
}
