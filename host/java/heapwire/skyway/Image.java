package heapwire.skyway;

import heapwire.Numbers.Skyway;
import heapwire.heap.Arrival;
import heapwire.heap.HeapClass;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.StreamCorruptedException;
import java.util.BitSet;

/** The objects of a buffer that has come. Checks all of them, in the order of docs/reference/skyway.md, "Receiving",
  * before it makes the first. */
final class Image {
    private final byte[] image;
    private final int bytes;
    private final int[] tops;
    private final Registry registry;
    /** A bit for each 8 bytes: whether an object begins there, whether a reference leads there. */
    private final BitSet starts = new BitSet();
    private final BitSet targets = new BitSet();

    Image(byte[] image, int bytes, int[] tops, Registry registry) {
        this.image = image;
        this.bytes = bytes;
        this.tops = tops;
        this.registry = registry;
    }

    Object[] roots(ClassLoader loader) throws IOException {
        for (int at = 0; at < bytes;) {
            at += check(at);
        }
        for (int top : tops) {
            reference(top, 0);
        }
        targets.andNot(starts);
        if (!targets.isEmpty()) {
            throw bad("BAD_REFERENCE", Skyway.FIRST + targets.nextSetBit(0) * Words.GRANULE, "no object begins here");
        }
        return build(loader);
    }

    private static IOException bad(String status, int at, String problem) {
        return new StreamCorruptedException(status + " at " + at + ": " + problem);
    }

    /** Checks the object at an offset. Returns its size. */
    private int check(int offset) throws IOException {
        int at = Skyway.FIRST + offset;
        int left = bytes - offset;
        if (left < 2 * Words.GRANULE) {
            throw bad("BAD_VALUE", at, "an object that does not end");
        }
        int mark = Words.get(image, offset);
        if ((mark & Words.MARK_MASK) != Words.MARK) {
            throw bad("BAD_VALUE", at, "a mark of %#x".formatted(mark));
        }
        HeapClass type = type(offset);
        if (type == null) {
            throw new InvalidClassException("BAD_VALUE at " + at + ": class "
                    + Integer.toUnsignedString(Words.get(image, offset + Words.TYPE)) + " of " + registry.size());
        }
        if (left < type.header()) {
            throw bad("BAD_VALUE", at, "an array that does not end");
        }
        int length = type.isArray() ? Words.get(image, offset + Words.LENGTH) : 0;
        long size = type.size(Integer.toUnsignedLong(length));
        if (size > left) {
            throw bad("BAD_VALUE", at, "an object of " + size + " bytes in " + left);
        }
        int blank = offset + Words.LENGTH + (type.isArray() ? Words.WORD : 0);
        for (; blank < offset + type.header(); blank += Words.WORD) {
            if (Words.get(image, blank) != 0) {
                throw bad("BAD_VALUE", at, "words in front of the body that are not 0");
            }
        }
        starts.set(offset / Words.GRANULE);
        int held = type.references(length);
        for (int i = 0; i < held; i++) {
            reference(target(type, offset, i), at);
        }
        return (int) size;
    }

    private HeapClass type(int offset) {
        return registry.get(Words.get(image, offset + Words.TYPE));
    }

    private int target(HeapClass type, int offset, int number) {
        return Words.get(image, offset + type.header() + type.place(number));
    }

    private void reference(int relative, int at) throws IOException {
        if (relative == 0) {
            return;
        }
        if (relative % Words.GRANULE != 0 || relative < Skyway.FIRST || relative - Skyway.FIRST >= bytes) {
            throw bad("BAD_REFERENCE", at, "%#x is not in the buffer".formatted(relative));
        }
        targets.set((relative - Skyway.FIRST) / Words.GRANULE);
    }

    private Object[] build(ClassLoader loader) throws IOException {
        Arrival arrival = new Arrival(loader);
        for (int offset = 0; offset < bytes;) {
            HeapClass type = type(offset);
            int at = Skyway.FIRST + offset;
            int length = type.isArray() ? Words.get(image, offset + Words.LENGTH) : 0;
            Object object = type.make(length);
            int wrong = type.fill(object, image, offset + type.header());
            if (wrong >= 0) {
                throw bad("BAD_VALUE", at, "a " + type.type.getName() + " whose boolean at " + wrong
                        + " is neither 0 nor 1");
            }
            arrival.add(type, object, at);
            int held = type.references(length);
            for (int i = 0; i < held; i++) {
                int target = target(type, offset, i);
                arrival.reference(target == 0 ? -1 : target, at);
            }
            offset += (int) type.size(length);
        }
        arrival.check((address, place) -> {
            throw new AssertionError("a reference that was checked");
        });
        arrival.link();
        Object[] roots = new Object[tops.length];
        for (int i = 0; i < tops.length; i++) {
            roots[i] = tops[i] == 0 ? null : arrival.at(tops[i]);
        }
        return roots;
    }
}
