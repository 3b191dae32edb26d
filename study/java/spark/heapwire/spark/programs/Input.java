package heapwire.spark.programs;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;

/** Makes inputs: each partition from its number, in the task that needs it. So no input goes through a serializer
  * before a program begins. */
final class Input {
    static final int PARTITIONS = 4;

    private Input() {
    }

    /** What a partition is made with. */
    static SplittableRandom dice(int program, int partition) {
        return new SplittableRandom(1_000_003L * program + partition);
    }

    /** An RDD of as many partitions. */
    static <T> JavaRDD<T> rdd(JavaSparkContext context, int partitions, Function<Integer, List<T>> part) {
        List<Integer> numbers = IntStream.range(0, partitions).boxed().toList();
        return context.parallelize(new ArrayList<>(numbers), partitions)
            .flatMap(number -> part.call(number).iterator());
    }

    static <T> JavaRDD<T> rdd(JavaSparkContext context, Function<Integer, List<T>> part) {
        return rdd(context, PARTITIONS, part);
    }

    /** A number below `limit`, small ones more often: what words and vertices of real inputs look like. */
    static int skewed(SplittableRandom dice, int limit) {
        double place = dice.nextDouble();
        return (int) (limit * place * place * place);
    }

    /** Neighbours of the vertices of an undirected graph without loops, in the order of their numbers: `edges` chosen
      * by each vertex, and those that chose it. */
    static final class Graph implements Serializable {
        private static final long serialVersionUID = 1L;
        final int[][] neighbours;

        Graph(int program, int vertices, int edges) {
            SplittableRandom dice = dice(program, 0);
            List<java.util.TreeSet<Integer>> sets = new ArrayList<>();
            for (int i = 0; i < vertices; i++) {
                sets.add(new java.util.TreeSet<>());
            }
            for (int i = 0; i < vertices; i++) {
                for (int k = 0; k < edges; k++) {
                    int other = skewed(dice, vertices);
                    if (other != i) {
                        sets.get(i).add(other);
                        sets.get(other).add(i);
                    }
                }
            }
            neighbours = sets.stream().map(set -> set.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
        }
    }
}
