import heapwire.cereal.CerealInputStream;
import heapwire.cereal.CerealOutputStream;
import heapwire.cereal.ClassSet;
import heapwire.skyway.Registry;
import heapwire.skyway.SkywayInputStream;
import heapwire.skyway.SkywayOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A format, between objects and bytes. */
interface Codec {
    /** Returns the streams that the roots, one or several, can become. */
    List<byte[]> write(List<?> roots) throws IOException;

    List<Object> read(byte[] stream) throws IOException;

    /** Returns the stream again. */
    byte[] again(List<?> roots, byte[] stream) throws IOException;

    record Cereal(ClassSet classes) implements Codec {
        @Override
        public List<byte[]> write(List<?> roots) throws IOException {
            return List.of(stream(roots, false), stream(roots, true));
        }

        private byte[] stream(List<?> roots, boolean strip) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            new CerealOutputStream(out, classes, strip).writeObject(roots.get(0));
            return out.toByteArray();
        }

        @Override
        public List<Object> read(byte[] stream) throws IOException {
            return List.of(new CerealInputStream(new ByteArrayInputStream(stream), classes).readObject());
        }

        @Override
        public byte[] again(List<?> roots, byte[] stream) throws IOException {
            return stream(roots, (stream[5] & 1) != 0);
        }
    }

    record Skyway(Registry registry) implements Codec {
        @Override
        public List<byte[]> write(List<?> roots) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (SkywayOutputStream to = new SkywayOutputStream(out, registry, 7)) {
                for (Object each : roots) {
                    to.writeObject(each);
                }
            }
            return List.of(out.toByteArray());
        }

        @Override
        public List<Object> read(byte[] stream) throws IOException {
            SkywayInputStream from = new SkywayInputStream(new ByteArrayInputStream(stream), registry);
            List<Object> roots = new ArrayList<>();
            do {
                roots.add(from.readObject());
            } while (from.available() > 0);
            return roots;
        }

        @Override
        public byte[] again(List<?> roots, byte[] stream) throws IOException {
            return write(roots).get(0);
        }
    }
}
