package heapwire.cereal;

import heapwire.Numbers.Cereal;
import heapwire.heap.Arrival;
import heapwire.heap.HeapClass;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads the sections of one stream. Checks in the order of docs/reference/cereal.md, "Errors". An object is made only
  * when its values, its layout and at least a bucket for each of its references have come. */
final class Reader {
    private final byte[] data;
    private final ByteBuffer words;
    private final ClassSet classes;
    private final boolean stripped;
    private final int objects;
    private final int graph;
    private final int limit;
    private final Unpacker references;
    private final Unpacker layouts;
    private final Arrival arrival;
    private IOException unsound;
    private int at;
    private int top;

    /** data: a stream, whose header has been checked and is not looked at. */
    Reader(byte[] data, ByteBuffer header, ClassSet classes, ClassLoader loader) {
        this.data = data;
        this.classes = classes;
        words = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        stripped = header.get(Cereal.HEADER_FLAGS) != 0;
        objects = header.getInt(Cereal.HEADER_OBJECTS);
        graph = header.getInt(Cereal.HEADER_GRAPH);
        at = Cereal.HEADER_SIZE;
        limit = at + header.getInt(Cereal.HEADER_VALUES);
        int behind = limit + header.getInt(Cereal.HEADER_REFERENCES);
        references = new Unpacker(data, limit, behind, "BAD_REFERENCE");
        layouts = new Unpacker(data, behind, behind + header.getInt(Cereal.HEADER_LAYOUTS), "BAD_LAYOUT");
        arrival = new Arrival(loader);
    }

    Object graph() throws IOException {
        for (int i = 0; i != objects; i++) {
            object();
        }
        if (top != graph) {
            throw layouts.bad(layouts.offset(), "objects of " + top + " bytes in an image of " + graph);
        }
        if (limit - at >= Cereal.ALIGNMENT || !Unpacker.zeros(data, at, limit)) {
            throw bad(at, "more behind the last value than zeros to 16 bytes");
        }
        layouts.finish();
        references.finish();
        arrival.check((address, place) -> {
            throw references.bad(place, "leads to " + address + ", where no object starts");
        });
        if (unsound != null) {
            throw unsound;
        }
        arrival.link();
        return arrival.at(0);
    }

    private IOException bad(int offset, String problem) {
        return new StreamCorruptedException("BAD_VALUE at " + offset + ": " + problem);
    }

    private void room(long count) throws IOException {
        if (limit - at < Cereal.SLOT * count) {
            throw bad(limit, "a value that is missing");
        }
    }

    private int word() {
        at += Cereal.SLOT;
        return words.getInt(at - Cereal.SLOT);
    }

    private void object() throws IOException {
        room(stripped ? 1 : 2);
        if (!stripped) {
            int mark = word();
            if ((mark & Cereal.MARK_MASK) != Cereal.MARK) {
                throw bad(at - Cereal.SLOT, "a mark of %#x".formatted(mark));
            }
        }
        int id = word();
        if (Integer.compareUnsigned(id, classes.size()) >= 0) {
            throw new InvalidClassException("BAD_VALUE at " + (at - Cereal.SLOT) + ": class "
                    + Integer.toUnsignedString(id) + " of " + classes.size());
        }
        HeapClass type = classes.get(id);
        long length = 0;
        if (type.isArray()) {
            room(1);
            length = Integer.toUnsignedLong(word());
        }
        long size = type.size(length);
        if (size > graph - top) {
            throw layouts.bad(layouts.offset(), "an object of " + size + " bytes at " + top + " of " + graph);
        }
        build(type, (int) length, (int) type.body(length) / Cereal.SLOT);
        top += (int) size;
    }

    private void build(HeapClass type, int length, int slots) throws IOException {
        layout(type, length, slots);
        int held = type.references(length);
        room(slots - held);
        if (references.left() < held) {
            // Something is wrong with one of them: find it, with nothing built.
            for (int i = 0; i < held; i++) {
                reference();
            }
        }
        Object object = type.make(length);
        byte[] body = data;
        int from = at;
        if (held > 0) {
            body = new byte[slots * Cereal.SLOT];
            from = 0;
            for (int slot = 0, value = at; slot < slots; slot++) {
                if (!type.isReference(slot, length)) {
                    System.arraycopy(data, value, body, slot * Cereal.SLOT, Cereal.SLOT);
                    value += Cereal.SLOT;
                }
            }
        }
        int wrong = type.fill(object, body, from);
        if (wrong >= 0 && unsound == null) {
            unsound = bad(at, "a " + type.type.getName() + " whose boolean at " + wrong + " is neither 0 nor 1");
        }
        at += (slots - held) * Cereal.SLOT;
        arrival.add(type, object, top);
        for (int i = 0; i < held; i++) {
            int begin = references.offset();
            arrival.reference(reference(), begin);
        }
    }

    /** Compares the next layout with the one that the class implies. */
    private void layout(HeapClass type, int length, int slots) throws IOException {
        int begin = layouts.offset();
        layouts.item();
        boolean same = layouts.bit() == (type.isArray() ? 1 : 0);
        for (int i = 0; same && i < slots; i++) {
            same = layouts.bit() == (type.isReference(i, length) ? 1 : 0);
        }
        if (layouts.more() || !same) {
            throw layouts.bad(begin, "not that of " + type.type.getName());
        }
    }

    /** Reads the next reference. Returns its relative address, -1 for null. */
    private int reference() throws IOException {
        int begin = references.offset();
        references.item();
        long number = 0;
        int first = references.bit();
        for (int bit = first; bit >= 0; bit = references.bit()) {
            number = Math.min(number << 1 | bit, Integer.MAX_VALUE);
        }
        if (first == 0) {
            throw references.bad(begin, "a number with leading zeros");
        }
        long address = (number - 1) * Cereal.GRANULE;
        if (address >= graph) {
            throw references.bad(begin, "leads to " + address + ", beyond the image");
        }
        return first < 0 ? -1 : (int) address;
    }
}
