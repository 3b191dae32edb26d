package heapwire.spark;

import java.io.DataOutputStream;
import org.apache.spark.SparkConf;

/** {@code --conf spark.serializer=heapwire.spark.SkywaySerializer} (docs/howto/jvm.md). */
public final class SkywaySerializer extends GraphSerializer {
    private static final long serialVersionUID = 1L;

    public SkywaySerializer(SparkConf conf) {
        super(conf);
    }

    @Override
    Encoder encoder(DataOutputStream out) {
        return new Encoder.OfSkyway(out);
    }

    @Override
    Decoder decoder(ClassLoader loader) {
        return new Decoder.OfSkyway(loader);
    }
}
