package heapwire.peers;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;

/** A serializer of a real JVM. */
public interface Engine {
    byte[] write(Object graph) throws IOException;

    Object read(byte[] bytes) throws IOException, ClassNotFoundException;

    /** The JDK's own serialization. */
    Engine JAVA = new Engine() {
        @Override
        public byte[] write(Object graph) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(graph);
            }
            return bytes.toByteArray();
        }

        @Override
        public Object read(byte[] bytes) throws IOException, ClassNotFoundException {
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
                Object graph = in.readObject();
                if (in.read() != -1) {
                    throw new IOException("bytes are left");
                }
                return graph;
            }
        }
    };
}
