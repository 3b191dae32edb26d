package heapwire.spark;

import java.io.Serializable;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;

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
        return new MeteredInstance(inner.newInstance());
    }

    @Override
    public boolean supportsRelocationOfSerializedObjects() {
        return inner.supportsRelocationOfSerializedObjects();
    }
}
