package heapwire.spark;

import java.io.DataOutputStream;
import org.apache.spark.SparkConf;

/** {@code --conf spark.serializer=heapwire.spark.CerealSerializer} (docs/howto/jvm.md). */
public final class CerealSerializer extends GraphSerializer {
    private static final long serialVersionUID = 1L;

    public CerealSerializer(SparkConf conf) {
        super(conf);
    }

    @Override
    Encoder encoder(DataOutputStream out) {
        return new Encoder.OfCereal(out);
    }

    @Override
    Decoder decoder(ClassLoader loader) {
        return new Decoder.OfCereal(loader);
    }
}
