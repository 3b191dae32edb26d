import heapwire.spark.Program;
import heapwire.spark.programs.Components;
import heapwire.spark.programs.PageRank;
import heapwire.spark.programs.WordCount;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.SerializerInstance;
import scala.None$;
import scala.Some;
import scala.Tuple2;
import scala.collection.immutable.Nil$;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Runs Skyway's programs, which do not know their serializer, by each of the serializers that are named. Prints each
  * result beside that of a plain computation; and how some objects went (first byte) and arrived. */
public final class Results {
    public static void main(String[] serializers) {
        for (String serializer : serializers) {
            SparkConf conf = new SparkConf(false).setMaster("local[2]").setAppName("results")
                .set("spark.serializer", serializer).set("spark.ui.enabled", "false")
                .set("spark.driver.host", "localhost").set("spark.driver.bindAddress", "127.0.0.1");
            try (JavaSparkContext context = new JavaSparkContext(conf)) {
                objects(serializer, SparkEnv.get().serializer().newInstance());
                for (Program program : List.of(new WordCount(), new PageRank(), new Components())) {
                    double found = program.run(context);
                    System.out.printf("%s result %s %s%n", serializer, found, program.expected());
                }
            }
        }
    }

    private static void objects(String serializer, SerializerInstance instance) {
        ClassTag<Object> tag = ClassTag$.MODULE$.apply(Object.class);
        Object lambda = (java.util.function.Supplier<String> & java.io.Serializable) () -> "made";
        List<Object> all = new ArrayList<>(List.of(new Tuple2<>("word", 1L), new Some<>(Nil$.MODULE$), None$.MODULE$,
            new double[] {1, 2}, lambda));
        all.add(null);
        for (Object each : all) {
            ByteBuffer bytes = instance.serialize(each, tag);
            int first = bytes.get(bytes.position());
            Object again = instance.deserialize(bytes, tag);
            boolean same = each == None$.MODULE$ ? again == each : each instanceof double[] numbers
                ? java.util.Arrays.equals(numbers, (double[]) again) : each == lambda
                ? ((java.util.function.Supplier<?>) again).get().equals("made") : java.util.Objects.equals(each, again);
            System.out.printf("%s object %d %b%n", serializer, first, same);
        }
    }
}
