package heapwire.cereal;

import heapwire.Numbers.Cereal;
import java.util.Arrays;

/** Packs items of bits: buckets of 8 bits in packets of 8 bytes. */
final class Packer {
    private byte[] bytes = new byte[64];
    private int packet = -Cereal.PACKET_BYTES;
    private int buckets = Cereal.PACKET_BUCKETS;
    private int bits;
    private int filled;

    void bit(int bit) {
        if (filled == Cereal.BUCKET_BITS) {
            bucket(0);
        }
        bits = bits << 1 | bit;
        filled++;
    }

    /** Packs a number without leading zeros. */
    void number(int number) {
        for (int i = 31 - Integer.numberOfLeadingZeros(number); i >= 0; i--) {
            bit(number >>> i & 1);
        }
        end();
    }

    /** Ends the item. */
    void end() {
        bit(1);
        bits <<= Cereal.BUCKET_BITS - filled;
        bucket(1);
    }

    private void bucket(int last) {
        if (buckets == Cereal.PACKET_BUCKETS) {
            buckets = 0;
            packet += Cereal.PACKET_BYTES;
            if (packet == bytes.length) {
                bytes = Arrays.copyOf(bytes, 2 * packet);
            }
        }
        bytes[packet] |= (byte) (last << buckets);
        bytes[packet + ++buckets] = (byte) bits;
        bits = filled = 0;
    }

    /** Returns the section: packets, filled up to its alignment. */
    byte[] section() {
        return Arrays.copyOf(bytes, packet + Cereal.PACKET_BYTES + Cereal.ALIGNMENT - 1 & -Cereal.ALIGNMENT);
    }
}
