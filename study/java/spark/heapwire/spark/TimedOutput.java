package heapwire.spark;

import java.io.IOException;
import java.io.OutputStream;

/** Where a serializer's bytes go: they are counted, and what it takes to compress and to store them is no time of the
  * serializer. They are collected first, so that the clock is read once for many bytes. */
final class TimedOutput extends OutputStream {
    private static final int SIZE = 8192;
    private final OutputStream inner;
    private final byte[] buffer = new byte[SIZE];
    private int filled;
    final Meter.Watch watch = new Meter.Watch(Meter.write, null);

    TimedOutput(OutputStream inner) {
        this.inner = inner;
    }

    /** What is done to the stream below. */
    private interface Step {
        void run() throws IOException;
    }

    private void timed(Step step) throws IOException {
        watch.begin();
        if (filled > 0) {
            inner.write(buffer, 0, filled);
            Meter.bytesWritten += filled;
            filled = 0;
        }
        step.run();
        watch.end();
    }

    @Override
    public void write(int value) throws IOException {
        if (filled == SIZE) {
            timed(() -> { });
        }
        buffer[filled++] = (byte) value;
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        if (count > SIZE - filled) {
            timed(() -> { });
        }
        if (count > SIZE) {
            timed(() -> inner.write(bytes, from, count));
            Meter.bytesWritten += count;
            return;
        }
        System.arraycopy(bytes, from, buffer, filled, count);
        filled += count;
    }

    @Override
    public void flush() throws IOException {
        timed(inner::flush);
    }

    @Override
    public void close() throws IOException {
        timed(inner::close);
    }
}
