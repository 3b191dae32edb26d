import heapwire.cereal.CerealInputStream;
import heapwire.cereal.CerealOutputStream;
import heapwire.cereal.ClassSet;
import heapwire.line.ObjectLine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Counts words: one partition's task lets the machine count them (examples/jvm/counts.c), the other one does it
  * itself. */
public final class OnMachine {
    private static final List<String> WORDS = List.of("a rose is a rose is a rose as a rose is not a nose".split(" "));

    public static void main(String[] arguments) {
        String where = arguments[0];
        SparkConf conf = new SparkConf(false).setMaster("local[2]").setAppName("machine")
            .set("spark.serializer", "heapwire.spark.SkywaySerializer").set("spark.ui.enabled", "false")
            .set("spark.driver.host", "localhost").set("spark.driver.bindAddress", "127.0.0.1");
        try (JavaSparkContext context = new JavaSparkContext(conf)) {
            Map<String, Integer> counts = context.parallelize(WORDS, 2)
                .mapPartitionsWithIndex((index, words) -> index == 0 ? byMachine(where, words) : here(words), false)
                .mapToPair(pair -> pair).reduceByKey(Integer::sum).collectAsMap();
            System.out.println(new TreeMap<>(counts));
        }
    }

    private static Iterator<Tuple2<String, Integer>> here(Iterator<String> words) {
        List<Tuple2<String, Integer>> pairs = new ArrayList<>();
        words.forEachRemaining(word -> pairs.add(new Tuple2<>(word, 1)));
        return pairs.iterator();
    }

    private static Iterator<Tuple2<String, Integer>> byMachine(String where, Iterator<String> words) throws Exception {
        ClassSet classes = new ClassSet(String[].class, String.class, byte[].class, HashMap.class,
            Class.forName("java.util.HashMap$Node"), Class.forName("[Ljava.util.HashMap$Node;"), Integer.class);
        List<String> partition = new ArrayList<>();
        words.forEachRemaining(partition::add);
        try (ObjectLine line = ObjectLine.open(where)) {
            ByteArrayOutputStream stream = new ByteArrayOutputStream();
            new CerealOutputStream(stream, classes).writeObject(partition.toArray(String[]::new));
            line.give(stream.toByteArray());
            byte[] answer = line.take();
            Object found = new CerealInputStream(new ByteArrayInputStream(answer), classes).readObject();
            System.out.println("the machine counted " + answer.length + " bytes");
            List<Tuple2<String, Integer>> pairs = new ArrayList<>();
            ((HashMap<?, ?>) found).forEach((word, count) -> pairs.add(new Tuple2<>((String) word, (Integer) count)));
            return pairs.iterator();
        }
    }
}
