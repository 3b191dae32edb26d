package heapwire.spark;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/** Streams of tasks are metered: those of shuffles and of blocks that are cached in serialized form. What the driver
  * writes and reads is not. */
final class MeteredInstance extends SerializerInstance {
    private final SerializerInstance inner;

    MeteredInstance(SerializerInstance inner) {
        this.inner = inner;
    }

    @Override
    public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
        return inner.serialize(value, tag);
    }

    @Override
    public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
        return inner.deserialize(bytes, tag);
    }

    @Override
    public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
        return inner.deserialize(bytes, loader, tag);
    }

    @Override
    public SerializationStream serializeStream(OutputStream out) {
        return TaskContext.get() == null ? inner.serializeStream(out) : new MeteredWriter(inner, new TimedOutput(out));
    }

    @Override
    public DeserializationStream deserializeStream(InputStream in) {
        return TaskContext.get() == null ? inner.deserializeStream(in) : new MeteredReader(inner, new TimedInput(in));
    }
}
