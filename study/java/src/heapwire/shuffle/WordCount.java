package heapwire.shuffle;

/** A word and the number of its occurrences. Word count shuffles them. */
public class WordCount implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public String word;
    public long count;
}
