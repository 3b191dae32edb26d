package data.media;

import java.io.Serializable;
import java.util.List;

/** The object of jvm-serializer-benchmarks: a media file and its pictures. */
public class MediaContent implements Serializable {
    private static final long serialVersionUID = 1L;

    public Media media;
    public List<Image> images;
}
