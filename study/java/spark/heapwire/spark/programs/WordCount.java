package heapwire.spark.programs;

import heapwire.spark.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Skyway's WC: how often each word occurs. One shuffle of (String, Long). */
public final class WordCount extends Program {
    private static final int LINES = 40_000 * SCALE;
    private static final int WORDS = 12;
    private static final int VOCABULARY = 150_000;

    public WordCount() {
        super("word-count", LINES, "%,d lines of %d words, of a vocabulary of %,d", LINES, WORDS, VOCABULARY);
    }

    private static List<String> lines(int partition) {
        SplittableRandom dice = Input.dice(1, partition);
        List<String> found = new ArrayList<>();
        for (int i = 0; i < LINES / Input.PARTITIONS; i++) {
            StringBuilder line = new StringBuilder();
            for (int k = 0; k < WORDS; k++) {
                line.append(k > 0 ? " " : "").append("w").append(Input.skewed(dice, VOCABULARY));
            }
            found.add(line.toString());
        }
        return found;
    }

    private static double digest(String word, long count) {
        return (word.hashCode() & 0xFFFF) * (double) count;
    }

    @Override
    public double run(JavaSparkContext context) {
        return Input.rdd(context, WordCount::lines).flatMap(line -> Arrays.asList(line.split(" ")).iterator())
            .mapToPair(word -> new Tuple2<>(word, 1L)).reduceByKey(Long::sum)
            .mapToDouble(each -> digest(each._1, each._2)).sum();
    }

    @Override
    public double expected() {
        Map<String, Long> counts = new HashMap<>();
        for (String line : Input.all(WordCount::lines)) {
            Arrays.asList(line.split(" ")).forEach(word -> counts.merge(word, 1L, Long::sum));
        }
        return counts.entrySet().stream().mapToDouble(each -> digest(each.getKey(), each.getValue())).sum();
    }
}
