package heapwire.line;

import heapwire.Numbers.Monitor;
import heapwire.Numbers.Packet;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ThreadLocalRandom;

/** Requests and their answers, one at a time (docs/reference/monitor_protocol.md, "Nothing is lost"). */
final class Requests {
    private static final int ATTEMPTS = 5;
    /** Waits for an answer become longer, up to so many times. */
    private static final int SLOWER = 8;
    /** Frames that may come damaged, for each attempt. */
    private static final int DAMAGED = 10;
    private static final int QUIET_MS = 20;

    final Transport transport;
    private final int timeout;
    private final Frames frames = new Frames();
    private int sequence = ThreadLocalRandom.current().nextInt(255);

    /** timeout: milliseconds until a request is sent again. */
    Requests(Transport transport, int timeout) {
        this.transport = transport;
        this.timeout = timeout;
    }

    /** Drops what comes until nothing has come for a moment, but for at most a second. */
    void resynchronise() throws IOException {
        long deadline = System.nanoTime() + 1_000_000_000L;
        while (transport.read(QUIET_MS).length > 0 && System.nanoTime() < deadline) {}
        frames.restart();
    }

    /** Sends a request until its answer comes. patience: milliseconds that it may take. Returns the answer's body.
      * Throws RefusedException for an answer other than OK, InterruptedIOException if no answer comes. */
    byte[] ask(int operation, byte[] body, long patience) throws IOException {
        sequence = sequence % 255 + 1;
        byte[] frame = Frames.frame(sequence, operation, body);
        long deadline = System.nanoTime() + patience * 1_000_000;
        int wait = timeout;
        int silent = 0;
        for (int damaged = 0; damaged < DAMAGED * ATTEMPTS && (silent < ATTEMPTS || System.nanoTime() < deadline);) {
            transport.write(frame);
            long until = System.nanoTime() + wait * 1_000_000L;
            Frames.Parcel answer = answer(operation, until);
            if (answer != null && answer.status() != Monitor.ANSWER_OK) {
                throw new RefusedException(operation, answer.status());
            }
            if (answer != null) {
                return answer.body();
            }
            if (System.nanoTime() < until) {
                damaged++;
            } else {
                silent++;
                wait = Math.min(2 * wait, SLOWER * timeout);
            }
        }
        throw new InterruptedIOException("no answer to " + Monitor.OPERATION_NAMES.get(operation)
                + ": does the program run there, and is it this line's?");
    }

    /** Returns the answer, or null when the time is over, or earlier when a frame was damaged either way. */
    private Frames.Parcel answer(int operation, long until) throws IOException {
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            int damaged = frames.damaged();
            boolean refused = false;
            Frames.Parcel found = null;
            for (byte each : transport.read((int) (left / 1_000_000) + 1)) {
                Frames.Parcel packet = frames.take(each);
                if (packet == null) {
                    continue;
                }
                refused |= packet.operation() == Monitor.NAK;
                if (packet.sequence() == sequence && packet.operation() == (operation | Packet.RESPONSE)) {
                    found = packet;
                }
            }
            if (found != null || refused || frames.damaged() > damaged) {
                return found;
            }
        }
        return null;
    }
}
