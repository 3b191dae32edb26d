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
                : new MeteredWriter(inner, new TimedOutput(out));
        }

        @Override
        public DeserializationStream deserializeStream(InputStream in) {
            return TaskContext.get() == null ? inner.deserializeStream(in)
                : new MeteredReader(inner, new TimedInput(in));
        }
    }
}
