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

/** The serializer that Spark is given (`spark.serializer`): Spark's own ones for Java serialization and for Kryo, of
  * which a run of a program uses one, and a meter around them. */
public final class MeteredSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1L;
    /** Whether Kryo is used, until this is changed between two runs. */
    static volatile boolean kryo;
    private final JavaSerializer ofJava;
    private final KryoSerializer ofKryo;

    public MeteredSerializer(SparkConf conf) {
        ofJava = new JavaSerializer(conf);
        ofKryo = new KryoSerializer(conf);
    }

    @Override
    public Serializer setDefaultClassLoader(ClassLoader loader) {
        ofJava.setDefaultClassLoader(loader);
        ofKryo.setDefaultClassLoader(loader);
        return super.setDefaultClassLoader(loader);
    }

    @Override
    public SerializerInstance newInstance() {
        return new Instance(ofJava.newInstance(), ofKryo.newInstance());
    }

    /** Readers ask for it. Kryo is made to answer, which is a part of what it costs. */
    @Override
    public boolean supportsRelocationOfSerializedObjects() {
        int before = Meter.enter(Meter.DESERIALIZE);
        boolean found = (kryo ? ofKryo : ofJava).supportsRelocationOfSerializedObjects();
        Meter.back(before);
        return found;
    }

    /** Streams of tasks are metered: those of shuffles and of blocks that are cached in serialized form. What the
      * driver writes and reads is not. */
    private static final class Instance extends SerializerInstance {
        private final SerializerInstance ofJava;
        private final SerializerInstance ofKryo;

        Instance(SerializerInstance ofJava, SerializerInstance ofKryo) {
            this.ofJava = ofJava;
            this.ofKryo = ofKryo;
        }

        /** Asked for each stream, as Spark keeps an instance for the results of all tasks. */
        private SerializerInstance inner() {
            return kryo ? ofKryo : ofJava;
        }

        @Override
        public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
            return inner().serialize(value, tag);
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
            return inner().deserialize(bytes, tag);
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
            return inner().deserialize(bytes, loader, tag);
        }

        @Override
        public SerializationStream serializeStream(OutputStream out) {
            return TaskContext.get() == null ? inner().serializeStream(out)
                : new Writer(inner(), new TimedOutput(out));
        }

        @Override
        public DeserializationStream deserializeStream(InputStream in) {
            return TaskContext.get() == null ? inner().deserializeStream(in)
                : new Reader(inner(), new TimedInput(in));
        }
    }

    /** What the serializer does, without what the stream below it does. */
    private static final class Writer extends SerializationStream {
        private final SerializationStream inner;

        Writer(SerializerInstance serializer, TimedOutput out) {
            int before = Meter.enter(Meter.SERIALIZE);
            inner = serializer.serializeStream(out);
            Meter.back(before);
        }

        @Override
        public <T> SerializationStream writeKey(T key, ClassTag<T> tag) {
            if (Meter.inspector != null) {
                Meter.inspector.key(key);
            }
            int before = Meter.enter(Meter.SERIALIZE);
            inner.writeKey(key, tag);
            return written(before);
        }

        @Override
        public <T> SerializationStream writeValue(T value, ClassTag<T> tag) {
            if (Meter.inspector != null) {
                Meter.inspector.value(value);
            }
            int before = Meter.enter(Meter.SERIALIZE);
            inner.writeValue(value, tag);
            return written(before);
        }

        @Override
        public <T> SerializationStream writeObject(T value, ClassTag<T> tag) {
            if (Meter.inspector != null) {
                Meter.inspector.object(value);
            }
            int before = Meter.enter(Meter.SERIALIZE);
            inner.writeObject(value, tag);
            return written(before);
        }

        private SerializationStream written(int before) {
            Meter.back(before);
            Meter.to.rootsWritten++;
            return this;
        }

        @Override
        public void flush() {
            int before = Meter.enter(Meter.SERIALIZE);
            inner.flush();
            Meter.back(before);
        }

        @Override
        public void close() {
            int before = Meter.enter(Meter.SERIALIZE);
            inner.close();
            Meter.back(before);
        }
    }

    /** What the deserializer does, without what the stream below it does. The end of a stream is an exception, which
      * comes instead of a key or an object. */
    private static final class Reader extends DeserializationStream {
        private final DeserializationStream inner;

        Reader(SerializerInstance serializer, TimedInput in) {
            int before = Meter.enter(Meter.DESERIALIZE);
            inner = serializer.deserializeStream(in);
            Meter.back(before);
        }

        @Override
        public <T> T readKey(ClassTag<T> tag) {
            int before = Meter.enter(Meter.DESERIALIZE);
            try {
                return read(inner.readKey(tag));
            } finally {
                Meter.back(before);
            }
        }

        @Override
        public <T> T readValue(ClassTag<T> tag) {
            int before = Meter.enter(Meter.DESERIALIZE);
            try {
                return read(inner.readValue(tag));
            } finally {
                Meter.back(before);
            }
        }

        @Override
        public <T> T readObject(ClassTag<T> tag) {
            int before = Meter.enter(Meter.DESERIALIZE);
            try {
                return read(inner.readObject(tag));
            } finally {
                Meter.back(before);
            }
        }

        private static <T> T read(T root) {
            Meter.to.rootsRead++;
            return root;
        }

        @Override
        public void close() {
            int before = Meter.enter(Meter.DESERIALIZE);
            inner.close();
            Meter.back(before);
        }
    }
}
