package heapwire.line;

import heapwire.Numbers.Packet;
import java.util.Arrays;
import java.util.zip.CRC32;

/** Frames on the wire (docs/reference/monitor_protocol.md, "Frames"): packets with a CRC-32, in COBS, between zeros. A
  * packet that is damaged is never returned. */
final class Frames {
    private static final int WHOLE_MAX = Packet.HEAD_SIZE + Packet.BODY_MAX + Packet.CRC;
    /** COBS adds a byte in 254. */
    private static final int LONGEST = WHOLE_MAX + 8;

    /** A request or a response. */
    record Parcel(int sequence, int operation, int status, byte[] body) {}

    private final byte[] pending = new byte[LONGEST + 1];
    private int count;
    private int damaged;

    static int crc(byte[] bytes, int from, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    /** Returns the frame of a request, with both delimiters. */
    static byte[] frame(int sequence, int operation, byte[] body) {
        byte[] packet = new byte[Packet.HEAD_SIZE + body.length + Packet.CRC];
        packet[0] = (byte) sequence;
        packet[1] = (byte) operation;
        System.arraycopy(body, 0, packet, Packet.HEAD_SIZE, body.length);
        int end = packet.length - Packet.CRC;
        int crc = crc(packet, 0, end);
        for (int i = 0; i < Packet.CRC; i++) {
            packet[end + i] = (byte) (crc >>> Byte.SIZE * i);
        }
        return stuffed(packet);
    }

    private static byte[] stuffed(byte[] packet) {
        byte[] frame = new byte[packet.length + packet.length / 254 + 3];
        int code = 1; // where the length of the run under way goes
        int to = 2;
        for (int i = 0; i < packet.length; i++) {
            if (packet[i] != 0) {
                frame[to++] = packet[i];
            }
            if (packet[i] == 0 || to - code == 255 && i + 1 < packet.length) {
                frame[code] = (byte) (to - code);
                code = to++;
            }
        }
        frame[code] = (byte) (to - code);
        return Arrays.copyOf(frame, to + 1);
    }

    /** Returns the packet of a frame without delimiters, or null if it is damaged. */
    private static Parcel parcel(byte[] frame, int length) {
        byte[] packet = new byte[length];
        int to = 0;
        for (int at = 0; at < length;) {
            int code = frame[at++] & 0xff;
            if (code - 1 > length - at) {
                return null;
            }
            System.arraycopy(frame, at, packet, to, code - 1);
            at += code - 1;
            to += code - 1;
            if (code < 255 && at < length) {
                packet[to++] = 0;
            }
        }
        int end = to - Packet.CRC;
        if (end < Packet.HEAD_SIZE || to > WHOLE_MAX) {
            return null;
        }
        int crc = crc(packet, 0, end);
        for (int i = 0; i < Packet.CRC; i++) {
            if (packet[end + i] != (byte) (crc >>> Byte.SIZE * i)) {
                return null;
            }
        }
        return new Parcel(packet[0] & 0xff, packet[1] & 0xff, packet[2] & 0xff,
                Arrays.copyOfRange(packet, Packet.HEAD_SIZE, end));
    }

    /** Returns the number of damaged packets so far. */
    int damaged() {
        return damaged;
    }

    /** Drops the frame that has begun. */
    void restart() {
        count = 0;
    }

    /** Takes a byte that has come. Returns the packet that it completes, or null. */
    Parcel take(byte next) {
        if (next != 0) {
            count = Math.min(count + 1, pending.length);
            pending[count - 1] = next;
            return null;
        }
        if (count == 0) {
            return null;
        }
        Parcel found = count > LONGEST ? null : parcel(pending, count);
        damaged += found == null ? 1 : 0;
        count = 0;
        return found;
    }
}
