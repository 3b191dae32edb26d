package heapwire.tests;

import java.io.Serializable;
import java.util.List;

/** Fields of every size but 2 bytes, and an enum. */
public class Media implements Serializable {
    private static final long serialVersionUID = 1L;

    public enum Player {
        JAVA,
        FLASH
    }

    public String uri;
    public int width;
    public int height;
    public long duration;
    public int bitrate;
    public boolean hasBitrate;
    public List<String> persons;
    public Player player;
}
