package heapwire.spark;

import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/** Times what the serializer does, less what the stream below it does. A key and the value behind it are one
  * interval, as Spark does nothing between them. */
final class MeteredWriter extends SerializationStream {
    private final SerializationStream inner;
    private final TimedOutput out;
    private long started;
    private long below;

    MeteredWriter(SerializerInstance serializer, TimedOutput out) {
        this.out = out;
        begin();
        inner = serializer.serializeStream(out);
        end();
    }

    private void begin() {
        below = out.nanoseconds;
        started = System.nanoTime();
    }

    private void end() {
        long took = System.nanoTime() - started;
        Meter.serialize.add(took - (out.nanoseconds - below));
    }

    @Override
    public <T> SerializationStream writeKey(T key, ClassTag<T> tag) {
        if (Meter.inspector != null) {
            Meter.inspector.key(key);
        }
        begin();
        inner.writeKey(key, tag);
        Meter.rootsWritten++;
        return this;
    }

    @Override
    public <T> SerializationStream writeValue(T value, ClassTag<T> tag) {
        if (Meter.inspector != null) {
            Meter.inspector.value(value);
        }
        inner.writeValue(value, tag);
        end();
        Meter.rootsWritten++;
        return this;
    }

    @Override
    public <T> SerializationStream writeObject(T value, ClassTag<T> tag) {
        if (Meter.inspector != null) {
            Meter.inspector.object(value);
        }
        begin();
        inner.writeObject(value, tag);
        end();
        Meter.rootsWritten++;
        return this;
    }

    @Override
    public void flush() {
        begin();
        inner.flush();
        end();
    }

    @Override
    public void close() {
        begin();
        inner.close();
        end();
    }
}
