package heapwire.spark;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Where a deserializer's bytes come from: they are counted, and what it takes to fetch and to decompress them is no
  * time of the deserializer. */
final class TimedInput extends FilterInputStream {
    TimedInput(InputStream inner) {
        super(inner);
    }

    @Override
    public int read() throws IOException {
        int before = Meter.enter(Meter.READ);
        int found = in.read();
        Meter.back(before);
        Meter.to.bytesRead += found < 0 ? 0 : 1;
        return found;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
        int before = Meter.enter(Meter.READ);
        int found = in.read(bytes, from, count);
        Meter.back(before);
        Meter.to.bytesRead += Math.max(found, 0);
        return found;
    }

    @Override
    public void close() throws IOException {
        int before = Meter.enter(Meter.READ);
        in.close();
        Meter.back(before);
    }
}
