package heapwire.spark.programs;

import heapwire.spark.Program;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/** Skyway's CC: each vertex tells its neighbours the least number that it knows, until nobody learns more. Shuffles
  * (Integer, Integer), and once (Integer, int[]). */
public final class Components extends Program {
    private static final int VERTICES = 12_000 * SCALE;
    private static final int EDGES = 3;
    private static final Input.Graph GRAPH = new Input.Graph(3, VERTICES, EDGES);

    public Components() {
        super("components", VERTICES, "a graph of %,d vertices that choose %d neighbours each, until nothing changes",
            VERTICES, EDGES);
    }

    @Override
    public double run(JavaSparkContext context) {
        JavaPairRDD<Integer, int[]> links = Input.links(context, number -> GRAPH.part(number));
        JavaPairRDD<Integer, Integer> labels = links.mapToPair(each -> new Tuple2<>(each._1, each._1))
            .partitionBy(Input.PLACES).persist(StorageLevel.MEMORY_ONLY());
        double sum = labels.mapToDouble(each -> each._2).sum();
        for (double before = -1; before != sum;) {
            JavaPairRDD<Integer, Integer> told = links.join(labels).flatMapToPair(each -> IntStream.of(each._2._1)
                .mapToObj(target -> new Tuple2<>(target, each._2._2)).iterator()).reduceByKey(Input.PLACES, Math::min);
            JavaPairRDD<Integer, Integer> next = labels.leftOuterJoin(told)
                .mapValues(each -> Math.min(each._1, each._2.orElse(each._1)))
                .persist(StorageLevel.MEMORY_ONLY());
            before = sum;
            sum = next.mapToDouble(each -> each._2).sum();
            labels.unpersist(true);
            labels = next;
        }
        labels.unpersist(true);
        links.unpersist(true);
        return digest(sum);
    }

    /** Of the sum of all labels, which is 0 if there is one component. */
    private static double digest(double sum) {
        return sum + VERTICES;
    }

    @Override
    public double expected() {
        int[] labels = IntStream.range(0, VERTICES).toArray();
        for (int[] before = null; !Arrays.equals(before, labels);) {
            before = labels.clone();
            for (int vertex = 0; vertex < VERTICES; vertex++) {
                for (int target : GRAPH.neighbours[vertex]) {
                    labels[target] = Math.min(labels[target], labels[vertex]);
                }
            }
        }
        return digest(IntStream.of(labels).mapToDouble(each -> each).sum());
    }
}
