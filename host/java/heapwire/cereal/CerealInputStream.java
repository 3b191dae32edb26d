package heapwire.cereal;

import heapwire.Numbers.Cereal;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/** Reads graphs of objects, each from one stream of the Cereal format. Errors are those of java.io.ObjectInputStream;
  * their text begins with a status and an offset of docs/reference/cereal.md. Memory is taken only for what has come.
  * Code of keys of hash tables runs (docs/howto/jvm.md); nobody else sees anything of a stream with an error. */
public final class CerealInputStream implements AutoCloseable {
    private static final int LONGEST = Integer.MAX_VALUE - 64;

    private final InputStream in;
    private final ClassSet classes;
    private final ClassLoader loader;

    public CerealInputStream(InputStream in, ClassSet classes) {
        this(in, classes, Thread.currentThread().getContextClassLoader());
    }

    /** loader: finds the classes that arrive as objects. */
    public CerealInputStream(InputStream in, ClassSet classes, ClassLoader loader) {
        this.in = Objects.requireNonNull(in);
        this.classes = Objects.requireNonNull(classes);
        this.loader = loader;
    }

    /** Returns the root of the next graph. Throws EOFException where a stream ends early, StreamCorruptedException for
      * one that breaks the format, InvalidClassException for another class set, a class that is not registered, or a
      * reference that its field does not allow, InvalidObjectException for an object that cannot be. */
    public Object readObject() throws IOException {
        byte[] bytes = in.readNBytes(Cereal.HEADER_SIZE);
        if (bytes.length < Cereal.HEADER_SIZE) {
            throw new EOFException("BAD_STREAM at 0: " + bytes.length + " bytes");
        }
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long length = check(header);
        byte[] rest = in.readNBytes((int) length - Cereal.HEADER_SIZE);
        if (rest.length < length - Cereal.HEADER_SIZE) {
            throw new EOFException("BAD_STREAM at " + Cereal.HEADER_GRAPH + ": a stream of " + length
                    + " bytes, of which "
                    + (Cereal.HEADER_SIZE + rest.length) + " are there");
        }
        byte[] stream = new byte[(int) length]; // so that offsets are those in the stream
        System.arraycopy(rest, 0, stream, Cereal.HEADER_SIZE, rest.length);
        return new Reader(stream, header, classes, loader).graph();
    }

    /** Checks the header. Returns the stream's length. */
    private long check(ByteBuffer header) throws IOException {
        if (header.getInt(Cereal.HEADER_MAGIC) != Cereal.MAGIC || header.get(Cereal.HEADER_VERSION) != Cereal.VERSION
                || (header.get(Cereal.HEADER_FLAGS) & ~Cereal.FLAG_STRIP) != 0
                || header.getShort(Cereal.HEADER_RESERVED) != 0) {
            throw new StreamCorruptedException("BAD_STREAM at 0: not a stream of this version");
        }
        int set = header.getInt(Cereal.HEADER_CLASS_SET);
        if (set != classes.fingerprint()) {
            throw new InvalidClassException("BAD_STREAM at 0: of class set %#x, not %#x".formatted(set,
                    classes.fingerprint()));
        }
        if (header.getInt(Cereal.HEADER_OBJECTS) == 0) {
            throw new StreamCorruptedException("BAD_STREAM at 0: without an object");
        }
        long graph = Integer.toUnsignedLong(header.getInt(Cereal.HEADER_GRAPH));
        String where = "BAD_STREAM at " + Cereal.HEADER_GRAPH + ": ";
        if (graph < Cereal.GRAPH_LEAST || graph >= Cereal.GRAPH_LIMIT || graph % Cereal.GRANULE != 0) {
            throw new StreamCorruptedException(where + "an image of " + graph + " bytes");
        }
        long length = Cereal.HEADER_SIZE;
        for (int at : new int[] {Cereal.HEADER_VALUES, Cereal.HEADER_REFERENCES, Cereal.HEADER_LAYOUTS}) {
            long section = Integer.toUnsignedLong(header.getInt(at));
            if (section % Cereal.ALIGNMENT != 0) {
                throw new StreamCorruptedException(where + "sections that are not multiples of 16 bytes");
            }
            length += section;
        }
        if (length > LONGEST) {
            throw new StreamCorruptedException(where + "a stream of " + length + " bytes");
        }
        return length;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
