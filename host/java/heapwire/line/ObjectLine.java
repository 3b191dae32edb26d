package heapwire.line;

import heapwire.Numbers.Monitor;
import heapwire.Numbers.Packet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Object streams to and from a program on a machine, over its line (docs/reference/monitor_protocol.md, "Object
  * streams"). A stream arrives whole, once and undamaged, or an exception says that it did not. */
public final class ObjectLine implements AutoCloseable {
    private static final int PATIENCE_MS = 30_000;
    private static final int TIMEOUT_MS = 1000;
    private static final int PAUSE_MS = 10;
    private static final int MOST = Packet.BODY_MAX - Monitor.STREAM_IN_SIZE;

    private final Requests requests;
    private final long patience;
    private boolean begun;

    public ObjectLine(Transport transport) {
        this(transport, PATIENCE_MS, TIMEOUT_MS);
    }

    /** patience: milliseconds that the program may be busy, or make this end wait. timeout: those until a request is
      * repeated. */
    public ObjectLine(Transport transport, int patience, int timeout) {
        requests = new Requests(transport, timeout);
        this.patience = patience;
    }

    /** Opens the line at {@link Transport#open}. */
    public static ObjectLine open(String where) throws IOException {
        return new ObjectLine(Transport.open(where));
    }

    /** Sends a stream. Returns when the program has all of it. Throws RefusedException (TOO_LARGE) if the program has
      * no room for it, InterruptedIOException if the program does not take it. */
    public void give(byte[] stream) throws IOException {
        if (stream.length == 0) {
            throw new IllegalArgumentException("an empty stream");
        }
        int crc = Frames.crc(stream, 0, stream.length);
        long deadline = deadline();
        int received = 0;
        for (int furthest = 0; received < stream.length;) {
            int count = Math.min(stream.length - received, MOST);
            ByteBuffer body = body(Monitor.STREAM_IN_SIZE + count);
            body.putInt(stream.length).putInt(crc).putInt(received).put(stream, received, count);
            ByteBuffer answer = ask(Monitor.OPERATION_STREAM_IN, body, deadline);
            received = answer.remaining() == Integer.BYTES ? answer.getInt() : -1;
            if (received < 0 || received > stream.length) {
                throw other("STREAM_IN");
            }
            if (received > furthest) {
                furthest = received;
                deadline = deadline();
            } else if (System.nanoTime() >= deadline) {
                throw new InterruptedIOException("the program takes no more than " + furthest + " of " + stream.length
                        + " bytes");
            }
        }
    }

    /** Returns the whole stream that the program sends. Throws InterruptedIOException if it does not come, or if the
      * program does not hear that it has come. */
    public byte[] take() throws IOException {
        long deadline = deadline();
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        int number = 0;
        int crc = 0;
        for (int length = 1; stream.size() < length;) {
            ByteBuffer answer;
            try {
                ByteBuffer body = body(Monitor.STREAM_ASK_SIZE).putInt(number).putInt(stream.size());
                answer = ask(Monitor.OPERATION_STREAM_OUT, body, deadline);
            } catch (RefusedException error) {
                if (error.status() != Monitor.ANSWER_BAD_BODY || number == 0) {
                    throw error;
                }
                number = 0; // the program has given that stream up and offers another
                stream.reset();
                continue;
            }
            if (answer.remaining() <= Monitor.STREAM_OUT_SIZE) {
                throw other("STREAM_OUT");
            }
            number = answer.getInt();
            length = answer.getInt();
            crc = answer.getInt();
            stream.write(answer.array(), answer.position(), answer.remaining());
            deadline = deadline();
        }
        byte[] taken = stream.toByteArray();
        ByteBuffer last = body(Monitor.STREAM_TAKEN_SIZE).putInt(number).putInt(Frames.crc(taken, 0, taken.length));
        if (Frames.crc(taken, 0, taken.length) != crc) {
            throw new IOException("a stream of " + taken.length + " bytes came damaged");
        }
        ask(Monitor.OPERATION_STREAM_TAKEN, last, deadline);
        return taken;
    }

    @Override
    public void close() throws IOException {
        requests.transport.close();
    }

    private long deadline() {
        return System.nanoTime() + patience * 1_000_000;
    }

    private static ByteBuffer body(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static IOException other(String operation) {
        return new IOException("an answer to " + operation
                + " that this library does not know: are both ends of one version?");
    }

    /** Returns the answer, once the program is ready. */
    private ByteBuffer ask(int operation, ByteBuffer body, long deadline) throws IOException {
        if (!begun) {
            requests.resynchronise();
            requests.ask(Monitor.OPERATION_HELLO, body(Integer.BYTES).putInt(Monitor.PROTOCOL).array(), patience);
            begun = true;
        }
        while (true) {
            try {
                long left = Math.max((deadline - System.nanoTime()) / 1_000_000, 0);
                return ByteBuffer.wrap(requests.ask(operation, body.array(), left)).order(ByteOrder.LITTLE_ENDIAN);
            } catch (RefusedException error) {
                if (error.status() != Monitor.ANSWER_NOT_READY) {
                    throw error;
                }
                if (System.nanoTime() >= deadline) {
                    InterruptedIOException late = new InterruptedIOException("the program has not been ready for "
                            + Monitor.OPERATION_NAMES.get(operation) + " for " + patience + " ms");
                    late.initCause(error);
                    throw late;
                }
            }
            try {
                Thread.sleep(PAUSE_MS);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        }
    }
}
