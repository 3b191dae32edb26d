package heapwire.spark;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/** The serializer that Spark is given (`spark.serializer`): Spark's own one for Java serialization or for Kryo, by
  * `heapwire.serializer`, and a meter around it. */
public final class MeteredSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1L;
    static final String CHOICE = "heapwire.serializer";
    private final Serializer inner;

    public MeteredSerializer(SparkConf conf) {
        String choice = conf.get(CHOICE, "java");
        inner = switch (choice) {
            case "java" -> new JavaSerializer(conf);
            case "kryo" -> new KryoSerializer(conf);
            default -> throw new IllegalArgumentException("no serializer " + choice + "; there are java, kryo");
        };
    }

    @Override
    public Serializer setDefaultClassLoader(ClassLoader loader) {
        inner.setDefaultClassLoader(loader);
        return super.setDefaultClassLoader(loader);
    }

    @Override
    public SerializerInstance newInstance() {
        return new Instance(inner.newInstance());
    }

    @Override
    public boolean supportsRelocationOfSerializedObjects() {
        return inner.supportsRelocationOfSerializedObjects();
    }

    /** Streams of tasks are metered: those of shuffles and of blocks that are cached in serialized form. What the
      * driver writes and reads is not. */
    private static final class Instance extends SerializerInstance {
        private final SerializerInstance inner;

        Instance(SerializerInstance inner) {
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
            return TaskContext.get() == null ? inner.serializeStream(out)
                : new Writer(inner, new TimedOutput(out));
        }

        @Override
        public DeserializationStream deserializeStream(InputStream in) {
            return TaskContext.get() == null ? inner.deserializeStream(in)
                : new Reader(inner, new TimedInput(in));
        }
    }

    /** Times what the serializer does, less what the stream below it does. A key and the value behind it are one
      * interval, as Spark does nothing between them. */
    private static final class Writer extends SerializationStream {
        private final SerializationStream inner;
        private final Meter.Watch watch;

        Writer(SerializerInstance serializer, TimedOutput out) {
            watch = new Meter.Watch(Meter.serialize, out.watch);
            watch.begin();
            inner = serializer.serializeStream(out);
            watch.end();
        }

        @Override
        public <T> SerializationStream writeKey(T key, ClassTag<T> tag) {
            if (Meter.inspector != null) {
                Meter.inspector.key(key);
            }
            watch.begin();
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
            watch.end();
            Meter.rootsWritten++;
            return this;
        }

        @Override
        public <T> SerializationStream writeObject(T value, ClassTag<T> tag) {
            if (Meter.inspector != null) {
                Meter.inspector.object(value);
            }
            watch.begin();
            inner.writeObject(value, tag);
            watch.end();
            Meter.rootsWritten++;
            return this;
        }

        @Override
        public void flush() {
            watch.begin();
            inner.flush();
            watch.end();
        }

        @Override
        public void close() {
            watch.begin();
            inner.close();
            watch.end();
        }
    }

    /** Times what the deserializer does, less what the stream below it does; a key and its value are one interval. */
    private static final class Reader extends DeserializationStream {
        private final DeserializationStream inner;
        private final Meter.Watch watch;

        Reader(SerializerInstance serializer, TimedInput in) {
            watch = new Meter.Watch(Meter.deserialize, in.watch);
            watch.begin();
            inner = serializer.deserializeStream(in);
            watch.end();
        }

        /** The end of a stream is an exception, which comes instead of a key: its time counts, too. */
        @Override
        public <T> T readKey(ClassTag<T> tag) {
            watch.begin();
            T key;
            try {
                key = inner.readKey(tag);
            } catch (Throwable thrown) {
                watch.end();
                throw thrown;
            }
            Meter.rootsRead++;
            return key;
        }

        @Override
        public <T> T readValue(ClassTag<T> tag) {
            T value = inner.readValue(tag);
            watch.end();
            Meter.rootsRead++;
            return value;
        }

        @Override
        public <T> T readObject(ClassTag<T> tag) {
            watch.begin();
            T value;
            try {
                value = inner.readObject(tag);
            } finally {
                watch.end();
            }
            Meter.rootsRead++;
            return value;
        }

        @Override
        public void close() {
            watch.begin();
            inner.close();
            watch.end();
        }
    }
}
