package heapwire.cereal;

import heapwire.Numbers.Cereal;
import java.io.IOException;
import java.io.StreamCorruptedException;

/** Unpacks a section, bucket by bucket. */
final class Unpacker {
    private final byte[] data;
    private final int limit;
    private final String status;
    private int at;
    private int bucket;
    private int begin;
    private int held;
    private int bits;
    private boolean last;

    Unpacker(byte[] data, int start, int limit, String status) {
        this.data = data;
        this.at = start;
        this.limit = limit;
        this.status = status;
    }

    /** Returns the offset of the next bucket. */
    int offset() {
        return at < limit ? at + 1 + bucket : limit;
    }

    /** Returns an upper bound of the items that are left. */
    int left() {
        return (limit - at) / Cereal.PACKET_BYTES * Cereal.PACKET_BUCKETS;
    }

    IOException bad(int offset, String problem) {
        return new StreamCorruptedException(status + " at " + offset + ": " + problem);
    }

    /** Begins the next item. */
    void item() throws IOException {
        begin = offset();
        next();
    }

    /** Returns the item's next bit, or -1 behind its last. */
    int bit() throws IOException {
        if (bits == 0 && !last) {
            next();
        }
        return bits == 0 ? -1 : held >>> --bits & 1;
    }

    /** Takes the next bucket; of an item's last one the bits before the end bit. */
    private void next() throws IOException {
        if (at == limit) {
            throw bad(begin, "an item that does not end, or is missing");
        }
        int ends = data[at] & 0xff;
        if (ends >>> Cereal.PACKET_BUCKETS != 0) {
            throw bad(begin, "an end map of " + ends);
        }
        held = data[at + 1 + bucket] & 0xff;
        last = (ends >>> bucket & 1) != 0;
        bits = Cereal.BUCKET_BITS;
        if (last) {
            if (held == 0) {
                throw bad(begin, "an item without its end bit");
            }
            int unused = Integer.numberOfTrailingZeros(held) + 1;
            held >>>= unused;
            bits -= unused;
        }
        if (++bucket == Cereal.PACKET_BUCKETS) {
            at += Cereal.PACKET_BYTES;
            bucket = 0;
        }
    }

    /** Skips the rest of the item, and checks that it ends. Returns whether there was more of it. */
    boolean more() throws IOException {
        boolean found = false;
        while (bit() >= 0) {
            found = true;
        }
        return found;
    }

    /** Checks that nothing follows the last item. */
    void finish() throws IOException {
        int offset = offset();
        int from = at;
        if (bucket != 0) {
            boolean clean = (data[at] & 0xff) >>> bucket == 0;
            for (int i = at + 1 + bucket; i < at + Cereal.PACKET_BYTES; i++) {
                clean &= data[i] == 0;
            }
            if (!clean) {
                throw bad(offset, "something behind the last item");
            }
            from += Cereal.PACKET_BYTES;
        }
        if (limit - from >= Cereal.ALIGNMENT || !zeros(data, from, limit)) {
            throw bad(offset, "more behind the last item than zeros to 16 bytes");
        }
    }

    static boolean zeros(byte[] data, int from, int limit) {
        for (int i = from; i < limit; i++) {
            if (data[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
