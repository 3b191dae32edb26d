package heapwire.skyway;

import heapwire.Numbers.Skyway;
import heapwire.heap.HeapClass;
import heapwire.heap.Numbering;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/** Writes graphs of objects into buffers of Skyway (docs/reference/skyway.md). The roots of one buffer share what they
  * reach: an object is sent once a buffer, whatever the program stores into it meanwhile. A heap of HotSpot has no word
  * for an object's place in a buffer; a table by identity takes its place. Identity hashes are not sent. */
public final class SkywayOutputStream implements AutoCloseable {
    /** A segment is sent behind the root with which it becomes as long as this. */
    private static final int LONG = 1 << 20;

    private final OutputStream out;
    private final Registry registry;
    private final int sender;
    private final Numbering graph = new Numbering();
    private int phase = 1;
    private int stream = 1;
    private int[] addresses = new int[16];
    private int placed;
    private int written;
    private long free = Skyway.FIRST;
    private long base = Skyway.FIRST;
    private int types;
    private byte[] segment = new byte[256];
    private int filled;
    private int[] tops = new int[16];
    private int topsHere;
    private int topsBefore;
    private boolean begun;

    public SkywayOutputStream(OutputStream out, Registry registry) {
        this(out, registry, 0);
    }

    /** sender: the number by which receivers know this JVM. */
    public SkywayOutputStream(OutputStream out, Registry registry, int sender) {
        this.out = Objects.requireNonNull(out);
        this.registry = Objects.requireNonNull(registry);
        this.sender = sender;
    }

    /** Adds a root, which may be null, and those objects that it reaches and that the buffer does not have. Throws
      * InvalidClassException if one of them is of a class that is not registered or that cannot be sent; the buffer is
      * then as before. */
    public void writeObject(Object root) throws IOException {
        int count = graph.count();
        int before = filled;
        int highest = types;
        long start = free;
        boolean good = false;
        try {
            int address = root == null ? 0 : reach(root);
            for (; written < graph.count(); written++) {
                write(graph.heapClass(written), graph.object(written), addresses[written]);
            }
            if (topsHere == tops.length) {
                tops = Arrays.copyOf(tops, 2 * topsHere);
            }
            tops[topsHere++] = address;
            good = true;
        } finally {
            if (!good) {
                graph.shorten(count);
                placed = written = count;
                filled = before;
                types = highest;
                free = start;
            }
        }
        if (filled >= LONG) {
            send();
        }
    }

    /** Ends the buffer under way and begins the next phase: what is written from now on is sent anew. */
    public void shuffleStart() throws IOException {
        end();
        phase++;
        stream = 1;
    }

    /** Ends the buffer under way, if there is one. Receivers see nothing of a buffer before. */
    public void end() throws IOException {
        if (!begun && topsHere == 0) {
            return;
        }
        send();
        head(Skyway.DONE, (int) free, topsBefore, types);
        begun = false;
        stream++;
        graph.clear();
        placed = written = types = topsBefore = 0;
        free = base = Skyway.FIRST;
    }

    /** Returns the bytes of the objects that the buffer under way has so far. */
    public long size() {
        return free - Skyway.FIRST;
    }

    /** Sends what was written. */
    public void flush() throws IOException {
        send();
        out.flush();
    }

    /** Ends the buffer under way and closes the stream below. */
    @Override
    public void close() throws IOException {
        try (out) {
            end();
        }
    }

    /** Returns an object's relative address, which is the next free one for a new object. */
    private int reach(Object object) throws IOException {
        int number = graph.number(object);
        if (number == placed) {
            if (placed == addresses.length) {
                addresses = Arrays.copyOf(addresses, 2 * placed);
            }
            addresses[placed++] = (int) free;
            HeapClass type = graph.heapClass(number);
            types = Math.max(types, registry.id(type));
            free += type.size(type.length(graph.object(number)));
            if (free > Skyway.LIMIT) {
                throw new InvalidObjectException("OUTPUT_FULL: a buffer of more than " + Skyway.LIMIT + " bytes");
            }
        }
        return addresses[number];
    }

    private void write(HeapClass type, Object object, int address) throws IOException {
        int length = type.length(object);
        int size = (int) type.size(length);
        int at = (int) (address - base);
        if (segment.length - at < size) {
            segment = Arrays.copyOf(segment,
                    (int) Math.min(Math.max(2L * segment.length, (long) at + size), 0x7fff_fff7));
        }
        Arrays.fill(segment, at, at + size, (byte) 0);
        Words.put(segment, at, Words.MARK);
        Words.put(segment, at + Words.TYPE, registry.id(type));
        if (type.isArray()) {
            Words.put(segment, at + Words.LENGTH, length);
        }
        int body = at + type.header();
        type.values(object, segment, body);
        int held = type.references(length);
        for (int i = 0; i < held; i++) {
            Object target = type.reference(object, i);
            if (target != null) {
                Words.put(segment, body + type.place(i), reach(target));
            }
        }
        filled = at + size;
    }

    private void send() throws IOException {
        if (topsHere == 0) {
            return; // objects come with the top behind them
        }
        if (!begun) {
            begin();
        }
        head(Skyway.SEGMENT, (int) base, filled, topsHere);
        out.write(segment, 0, filled);
        byte[] words = new byte[topsHere * Words.WORD + Words.padding(topsHere)];
        for (int i = 0; i < topsHere; i++) {
            Words.put(words, Words.WORD * i, tops[i]);
        }
        out.write(words);
        base += filled;
        topsBefore += topsHere;
        filled = topsHere = 0;
    }

    private void begin() throws IOException {
        byte[] header = new byte[Words.HEADER_SIZE];
        Words.put(header, 0, Skyway.MAGIC);
        Words.put(header, Words.LAYOUT, Words.OWN_LAYOUT);
        Words.put(header, Words.REGISTRY, registry.number());
        Words.put(header, Words.SENDER, sender);
        Words.put(header, Words.PHASE, phase);
        Words.put(header, Words.STREAM, stream);
        begun = true;
        out.write(header);
    }

    private void head(int magic, int address, int bytes, int last) throws IOException {
        byte[] head = new byte[Skyway.SEGMENT_SIZE];
        int at = 0;
        for (int each : new int[] {magic, address, bytes, last}) {
            Words.put(head, at, each);
            at += Words.WORD;
        }
        out.write(head);
    }
}
