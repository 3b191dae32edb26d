package heapwire.bench;

/** A singly linked list. */
public class ListNode implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public long value;
    public ListNode next;
}
