package data.media;

import java.io.Serializable;
import java.util.List;

public class Media implements Serializable {
    private static final long serialVersionUID = 1L;

    public enum Player {
        JAVA,
        FLASH
    }

    public String uri;
    /** May be null. */
    public String title;
    public int width;
    public int height;
    public String format;
    public long duration;
    public long size;
    /** Valid only if {@code hasBitrate} is true. */
    public int bitrate;
    public boolean hasBitrate;
    public List<String> persons;
    public Player player;
    /** May be null. */
    public String copyright;
}
