package heapwire.spark;

import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/** Times what the deserializer does, less what the stream below it does; a key and its value are one interval. */
final class MeteredReader extends DeserializationStream {
    private final DeserializationStream inner;
    private final TimedInput in;
    private long started;
    private long below;

    MeteredReader(SerializerInstance serializer, TimedInput in) {
        this.in = in;
        begin();
        inner = serializer.deserializeStream(in);
        end();
    }

    private void begin() {
        below = in.nanoseconds;
        started = System.nanoTime();
    }

    private void end() {
        long took = System.nanoTime() - started;
        Meter.deserialize.add(took - (in.nanoseconds - below));
    }

    /** The end of a stream is an exception, which comes instead of a key: its time counts, too. */
    @Override
    public <T> T readKey(ClassTag<T> tag) {
        begin();
        T key;
        try {
            key = inner.readKey(tag);
        } catch (Throwable thrown) {
            end();
            throw thrown;
        }
        Meter.rootsRead++;
        return key;
    }

    @Override
    public <T> T readValue(ClassTag<T> tag) {
        T value = inner.readValue(tag);
        end();
        Meter.rootsRead++;
        return value;
    }

    @Override
    public <T> T readObject(ClassTag<T> tag) {
        begin();
        T value;
        try {
            value = inner.readObject(tag);
        } finally {
            end();
        }
        Meter.rootsRead++;
        return value;
    }

    @Override
    public void close() {
        begin();
        inner.close();
        end();
    }
}
