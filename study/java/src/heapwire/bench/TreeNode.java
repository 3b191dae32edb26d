package heapwire.bench;

/** A tree of any width: a leaf has no array of children. */
public class TreeNode implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public long value;
    public TreeNode[] children;
}
