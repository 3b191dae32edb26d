package data.media;

public class Image implements java.io.Serializable {
    private static final long serialVersionUID = 1L;

    public enum Size {
        SMALL,
        LARGE
    }

    public String uri;
    /** May be null. */
    public String title;
    public int width;
    public int height;
    public Size size;
}
