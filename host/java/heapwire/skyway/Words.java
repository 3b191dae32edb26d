package heapwire.skyway;

import heapwire.Numbers.Skyway;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The words of a buffer (docs/reference/skyway.md, "Stream"), for heaps with metadata. */
final class Words {
    static final int WORD = 4;
    static final int GRANULE = 8;
    static final int HEADER_SIZE = 32;
    /** Offsets of the header's words, and of an object's. */
    static final int LAYOUT = 4;
    static final int REGISTRY = 8;
    static final int SENDER = 12;
    static final int PHASE = 16;
    static final int STREAM = 20;
    static final int FORMAT = 24;
    static final int TYPE = 4;
    static final int LENGTH = 8;
    /** Version, first field, first element, alignment. */
    static final int OWN_LAYOUT = Skyway.VERSION | 16 << 8 | 24 << 16 | GRANULE << 24;
    /** The mark of an object without identity hash, and the bits of it that are the same in every mark. */
    static final int MARK = 1;
    static final int MARK_MASK = 0x7f;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private Words() {}

    static int get(byte[] from, int at) {
        return (int) INT.get(from, at);
    }

    static void put(byte[] to, int at, int word) {
        INT.set(to, at, word);
    }

    /** Returns the bytes of the zeros behind tops. */
    static int padding(int tops) {
        return tops % 2 * WORD;
    }
}
