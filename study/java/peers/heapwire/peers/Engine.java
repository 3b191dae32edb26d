package heapwire.peers;

import java.io.IOException;

/** A serializer of a real JVM. */
public interface Engine {
    byte[] write(Object graph) throws IOException;

    Object read(byte[] bytes) throws IOException, ClassNotFoundException;
}
