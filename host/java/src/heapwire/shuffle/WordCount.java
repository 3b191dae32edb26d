package heapwire.shuffle;

import java.io.Serializable;

/** A word and how often it has been met: what word count shuffles. */
public class WordCount implements Serializable {
    private static final long serialVersionUID = 1L;

    public String word;
    public long count;
}
