package heapwire.shuffle;

import java.io.Serializable;

/** A word and the number of its occurrences. Word count shuffles them. */
public class WordCount implements Serializable {
    private static final long serialVersionUID = 1L;

    public String word;
    public long count;
}
