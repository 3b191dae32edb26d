package heapwire.spark;

import java.io.IOException;
import java.io.OutputStream;

/** Where a serializer's bytes go: they are counted, and what it takes to compress and to store them is no time of the
  * serializer. */
final class TimedOutput extends OutputStream {
    private final OutputStream inner;

    TimedOutput(OutputStream inner) {
        this.inner = inner;
    }

    @Override
    public void write(int value) throws IOException {
        int before = Meter.enter(Meter.WRITE);
        inner.write(value);
        Meter.back(before);
        Meter.to.bytesWritten++;
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
        int before = Meter.enter(Meter.WRITE);
        inner.write(bytes, from, count);
        Meter.back(before);
        Meter.to.bytesWritten += count;
    }

    @Override
    public void flush() throws IOException {
        int before = Meter.enter(Meter.WRITE);
        inner.flush();
        Meter.back(before);
    }

    @Override
    public void close() throws IOException {
        int before = Meter.enter(Meter.WRITE);
        inner.close();
        Meter.back(before);
    }
}
