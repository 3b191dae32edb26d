package heapwire.cereal;

import heapwire.Numbers.Cereal;
import heapwire.heap.HeapClass;
import heapwire.heap.Numbering;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;

/** Writes graphs of objects, each as one stream of the Cereal format. Identity hashes are not sent. */
public final class CerealOutputStream implements AutoCloseable {
    private final OutputStream out;
    private final ClassSet classes;
    private final boolean strip;
    private final Numbering graph = new Numbering();
    private byte[] values = new byte[256];
    private int valueBytes;
    private int[] addresses = new int[16];
    private int placed;
    private long top;

    public CerealOutputStream(OutputStream out, ClassSet classes) {
        this(out, classes, false);
    }

    /** strip: sends no marks, which are 4 bytes an object. */
    public CerealOutputStream(OutputStream out, ClassSet classes, boolean strip) {
        this.out = Objects.requireNonNull(out);
        this.classes = Objects.requireNonNull(classes);
        this.strip = strip;
    }

    /** Writes all objects that the root reaches. Throws InvalidClassException, and writes nothing, if one of them is
      * of a class that is not registered or that cannot be sent. */
    public void writeObject(Object root) throws IOException {
        Objects.requireNonNull(root, "a stream has at least one object");
        try {
            out.write(stream(root));
        } finally {
            graph.clear();
            valueBytes = placed = 0;
            top = 0;
        }
    }

    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    private byte[] stream(Object root) throws IOException {
        Packer references = new Packer();
        Packer layouts = new Packer();
        graph.number(root);
        place();
        for (int i = 0; i < graph.count(); i++) {
            HeapClass type = graph.heapClass(i);
            Object object = graph.object(i);
            int length = type.length(object);
            if (!strip) {
                word(Cereal.MARK);
            }
            word(classes.id(type));
            layouts.bit(type.isArray() ? 1 : 0);
            if (type.isArray()) {
                word(length);
            }
            int bytes = (int) type.body(length);
            byte[] body = new byte[bytes];
            type.values(object, body, 0);
            int held = type.references(length);
            for (int j = 0; j < held; j++) {
                Object target = type.reference(object, j);
                int number = target == null ? -1 : graph.number(target);
                place();
                references.number(number < 0 ? 0 : addresses[number] / Cereal.GRANULE + 1);
            }
            for (int slot = 0; slot < bytes / Cereal.SLOT; slot++) {
                boolean reference = type.isReference(slot, length);
                layouts.bit(reference ? 1 : 0);
                if (!reference) {
                    room();
                    System.arraycopy(body, slot * Cereal.SLOT, values, valueBytes, Cereal.SLOT);
                    valueBytes += Cereal.SLOT;
                }
            }
            layouts.end();
        }
        return joined((int) top, references.section(), layouts.section());
    }

    /** Gives the objects that were reached since the last call their addresses. */
    private void place() throws InvalidObjectException {
        for (; placed < graph.count(); placed++) {
            if (placed == addresses.length) {
                addresses = Arrays.copyOf(addresses, 2 * placed);
            }
            addresses[placed] = (int) top;
            HeapClass type = graph.heapClass(placed);
            top += type.size(type.length(graph.object(placed)));
            if (top >= Cereal.GRAPH_LIMIT) {
                throw new InvalidObjectException("a graph of more bytes than a stream can have, " + Cereal.GRAPH_LIMIT);
            }
        }
    }

    private byte[] joined(int graphBytes, byte[] references, byte[] layouts) {
        int padded = valueBytes + Cereal.ALIGNMENT - 1 & -Cereal.ALIGNMENT;
        long length = (long) Cereal.HEADER_SIZE + padded + references.length + layouts.length;
        ByteBuffer stream = ByteBuffer.allocate(Math.toIntExact(length)).order(ByteOrder.LITTLE_ENDIAN);
        stream.putInt(Cereal.MAGIC).put((byte) Cereal.VERSION).put((byte) (strip ? Cereal.FLAG_STRIP : 0))
                .putShort((short) 0);
        stream.putInt(classes.fingerprint()).putInt(graph.count()).putInt(graphBytes);
        stream.putInt(padded).putInt(references.length).putInt(layouts.length);
        stream.put(values, 0, valueBytes).position(Cereal.HEADER_SIZE + padded);
        return stream.put(references).put(layouts).array();
    }

    private void room() {
        if (values.length - valueBytes < Cereal.SLOT) {
            values = Arrays.copyOf(values, 2 * values.length);
        }
    }

    private void word(int word) {
        room();
        for (int i = 0; i < Cereal.SLOT; i++) {
            values[valueBytes++] = (byte) (word >>> 8 * i);
        }
    }
}
