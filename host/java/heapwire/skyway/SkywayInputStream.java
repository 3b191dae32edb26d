package heapwire.skyway;

import heapwire.Numbers.Skyway;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.StreamCorruptedException;
import java.util.Arrays;
import java.util.Objects;

/** Reads buffers of Skyway. Errors are those of java.io.ObjectInputStream; their text begins with a status and an
  * offset of docs/reference/skyway.md. Memory is taken only for what has come. Code of keys of hash tables runs
  * (docs/howto/jvm.md); nobody else sees anything of a buffer with an error. */
public final class SkywayInputStream implements AutoCloseable {
    private static final int LONGEST = Integer.MAX_VALUE - 64;
    private static final int PIECE = 1 << 16;

    private final InputStream in;
    private final Registry registry;
    private final ClassLoader loader;
    private Object[] roots = new Object[0];
    private int next;
    private byte[] header = new byte[Words.HEADER_SIZE];
    private long offset;
    private byte[] image = new byte[0];
    private int bytes;
    private int[] tops = new int[0];
    private int topCount;

    public SkywayInputStream(InputStream in, Registry registry) {
        this(in, registry, Thread.currentThread().getContextClassLoader());
    }

    /** loader: finds the classes that arrive as objects. */
    public SkywayInputStream(InputStream in, Registry registry, ClassLoader loader) {
        this.in = Objects.requireNonNull(in);
        this.registry = Objects.requireNonNull(registry);
        this.loader = loader;
    }

    /** Returns the next root, which may be null; takes in the next buffer if this one has no more. Throws EOFException
      * at the end (END) and for a buffer that ends early (CUT), StreamCorruptedException for one that breaks the
      * format, InvalidClassException for another registry, a class that is not registered, or a reference that its
      * field does not allow, InvalidObjectException for an object that cannot be. */
    public Object readObject() throws IOException {
        while (next == roots.length) {
            receive();
        }
        Object root = roots[next];
        roots[next++] = null;
        return root;
    }

    /** Returns the number of roots of the buffer under way that have not been read. */
    public int available() {
        return roots.length - next;
    }

    /** Returns the sender's number for itself, of the buffer of the last root; likewise the others. */
    public int sender() {
        return Words.get(header, Words.SENDER);
    }

    public int phase() {
        return Words.get(header, Words.PHASE);
    }

    public int stream() {
        return Words.get(header, Words.STREAM);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private void receive() throws IOException {
        roots = new Object[0];
        next = bytes = topCount = 0;
        offset = 0;
        try {
            header();
            while (segment()) {}
            roots = new Image(image, bytes, Arrays.copyOf(tops, topCount), registry).roots(loader);
        } finally {
            image = new byte[0];
            tops = new int[0];
        }
    }

    private byte[] take(int count) throws IOException {
        byte[] taken = in.readNBytes(count);
        offset += taken.length;
        if (taken.length < count) {
            throw cut();
        }
        return taken;
    }

    private EOFException cut() {
        return new EOFException(offset == 0 ? "END at 0: there is no further buffer"
                : "CUT at " + offset + ": the stream ends within a buffer");
    }

    private static IOException bad(long at, String problem) {
        return new StreamCorruptedException("BAD_STREAM at " + at + ": " + problem);
    }

    private void header() throws IOException {
        byte[] words = take(Words.HEADER_SIZE);
        int layout = Words.get(words, Words.LAYOUT);
        if (Words.get(words, 0) != Skyway.MAGIC || (layout & 0xff) != Skyway.VERSION) {
            throw bad(0, "no header of a stream of this version");
        }
        if (layout != Words.OWN_LAYOUT || Words.get(words, Words.FORMAT) != 0
                || Words.get(words, Words.FORMAT + Words.WORD) != 0) {
            throw new StreamCorruptedException("OTHER_LAYOUT at 0: objects for another receiver");
        }
        int number = Words.get(words, Words.REGISTRY);
        if (number != registry.number()) {
            throw new InvalidClassException("OTHER_REGISTRY at 0: classes are numbered by %#x, not %#x"
                    .formatted(number, registry.number()));
        }
        header = words;
    }

    /** Takes a segment in. Returns false at the end of the buffer. */
    private boolean segment() throws IOException {
        long begin = offset;
        byte[] head = take(Skyway.SEGMENT_SIZE);
        int magic = Words.get(head, 0);
        int base = Words.get(head, Words.WORD);
        int count = Words.get(head, 2 * Words.WORD);
        int last = Words.get(head, 3 * Words.WORD);
        int free = Skyway.FIRST + bytes;
        if (magic == Skyway.DONE) {
            if (base != free || count != topCount || last >>> Short.SIZE != 0) {
                throw bad(begin, "the end contradicts what came");
            }
            return false;
        }
        if (magic != Skyway.SEGMENT || base != free || count % Words.GRANULE != 0
                || Integer.toUnsignedLong(count) > Skyway.LIMIT - free) {
            throw bad(begin, "no segment");
        }
        objects(count);
        tops(last);
        return true;
    }

    private void objects(int count) throws IOException {
        byte[] taken = take(count);
        if (bytes == 0) {
            image = taken;
        } else {
            if (image.length - bytes < count) {
                long longer = Math.min(Math.max(2L * bytes, (long) bytes + count), LONGEST);
                image = Arrays.copyOf(image, (int) Math.max(longer, (long) bytes + count));
            }
            System.arraycopy(taken, 0, image, bytes, count);
        }
        bytes += count;
    }

    private void tops(int count) throws IOException {
        long left = Integer.toUnsignedLong(count);
        while (left > 0) {
            byte[] words = take((int) Math.min(left * Words.WORD, PIECE));
            int here = words.length / Words.WORD;
            if (LONGEST - topCount < here) {
                throw bad(offset, "more roots than a JVM can hold");
            }
            if (tops.length - topCount < here) {
                tops = Arrays.copyOf(tops, (int) Math.min(Math.max(2L * topCount, topCount + here), LONGEST));
            }
            for (int i = 0; i < here; i++) {
                tops[topCount++] = Words.get(words, Words.WORD * i);
            }
            left -= here;
        }
        long begin = offset;
        byte[] padding = in.readNBytes(Words.padding(count));
        offset += padding.length;
        for (byte each : padding) {
            if (each != 0) {
                throw bad(begin, "padding of tops");
            }
        }
        if (padding.length < Words.padding(count)) {
            throw cut();
        }
    }
}
