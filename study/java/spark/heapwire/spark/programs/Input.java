package heapwire.spark.programs;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/** Makes inputs: each partition from its number, in the task that needs it. So no input goes through a serializer
  * before a program begins. */
final class Input {
    static final int PARTITIONS = 4;
    /** Where a shuffle puts things: one partition more than the input has, so that all of it is shuffled. */
    static final HashPartitioner PLACES = new HashPartitioner(PARTITIONS + 1);

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

    /** The same without Spark: all that the partitions have. */
    static <T> List<T> all(int partitions, IntFunction<List<T>> part) {
        return IntStream.range(0, partitions).mapToObj(part).flatMap(List::stream).toList();
    }

    static <T> List<T> all(IntFunction<List<T>> part) {
        return all(PARTITIONS, part);
    }

    /** A number below `limit`, small ones more often: what words and vertices of real inputs look like. */
    static int skewed(SplittableRandom dice, int limit) {
        double place = dice.nextDouble();
        return (int) (limit * place * place * place);
    }

    /** The vertices of a graph, shuffled and kept. */
    static JavaPairRDD<Integer, int[]> links(JavaSparkContext context,
        Function<Integer, List<Tuple2<Integer, int[]>>> part) {
        return rdd(context, part).mapToPair(each -> each).partitionBy(PLACES).persist(StorageLevel.MEMORY_ONLY());
    }

    /** Neighbours of the vertices of an undirected graph without loops, in the order of their numbers: `edges` chosen
      * by each vertex, and those that chose it. */
    static final class Graph {
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

        /** The vertices of a partition, each with its neighbours. */
        List<Tuple2<Integer, int[]>> part(int partition) {
            return IntStream.range(0, neighbours.length).filter(i -> i % PARTITIONS == partition)
                .mapToObj(i -> new Tuple2<>(i, neighbours[i])).toList();
        }
    }
}
