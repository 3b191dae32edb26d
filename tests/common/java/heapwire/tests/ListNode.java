package heapwire.tests;

import java.io.Serializable;

/** A singly linked list. */
public class ListNode implements Serializable {
    private static final long serialVersionUID = 1L;

    public long value;
    public ListNode next;
}
