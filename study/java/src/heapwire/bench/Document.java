package heapwire.bench;

/** A document of the Bayes classifier: its class, its terms and how often they occur. */
public class Document implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public String label;
    public String[] terms;
    public SparseVector frequencies;
}
