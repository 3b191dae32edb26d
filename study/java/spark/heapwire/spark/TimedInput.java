package heapwire.spark;

import java.io.IOException;
import java.io.InputStream;

/** Where a deserializer's bytes come from: they are counted, and what it takes to fetch and to decompress them is no
  * time of the deserializer. Many are taken at a time, so that the clock is not read for each few. */
final class TimedInput extends InputStream {
    private static final int SIZE = 8192;
    private final InputStream inner;
    private final byte[] buffer = new byte[SIZE];
    private int at;
    private int filled;
    final Meter.Watch watch = new Meter.Watch(Meter.read, null);

    TimedInput(InputStream inner) {
        this.inner = inner;
    }

    /** Whether there is a byte in the buffer, or could be fetched. */
    private boolean fill() throws IOException {
        if (at < filled) {
            return true;
        }
        watch.begin();
        filled = inner.read(buffer, 0, SIZE);
        watch.end();
        at = 0;
        Meter.bytesRead += Math.max(filled, 0);
        return filled > 0;
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffer[at++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int found = Math.min(count, filled - at);
        System.arraycopy(buffer, at, bytes, from, found);
        at += found;
        return found;
    }

    @Override
    public int available() throws IOException {
        return Math.max(filled - at, 0) + inner.available();
    }

    @Override
    public void close() throws IOException {
        watch.begin();
        inner.close();
        watch.end();
    }
}
