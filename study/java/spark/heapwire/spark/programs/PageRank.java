package heapwire.spark.programs;

import heapwire.spark.Program;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Skyway's PR: ten rounds, as the paper runs it. Each shuffles shares of ranks, (Integer, Double); once the
  * neighbours are shuffled, (Integer, int[]). */
public final class PageRank extends Program {
    private static final int VERTICES = 7_000 * SCALE;
    private static final int EDGES = 4;
    private static final int ROUNDS = 10;
    private static final Input.Graph GRAPH = new Input.Graph(2, VERTICES, EDGES);

    public PageRank() {
        super("page-rank", VERTICES, "a graph of %,d vertices that choose %d neighbours each, %d rounds",
            VERTICES, EDGES, ROUNDS);
    }

    @Override
    public double run(JavaSparkContext context) {
        JavaPairRDD<Integer, int[]> links = Input.links(context, number -> GRAPH.part(number));
        JavaPairRDD<Integer, Double> ranks = links.mapValues(each -> 1.0);
        for (int i = 0; i < ROUNDS; i++) {
            ranks = links.join(ranks).flatMapToPair(each -> IntStream.of(each._2._1)
                    .mapToObj(target -> new Tuple2<>(target, each._2._2 / each._2._1.length)).iterator())
                .reduceByKey(Input.PLACES, Double::sum).mapValues(sum -> 0.15 + 0.85 * sum);
        }
        double found = ranks.mapToDouble(each -> each._2 * (each._1 % 97)).sum();
        links.unpersist(true);
        return found;
    }

    @Override
    public double expected() {
        double[] ranks = new double[VERTICES];
        java.util.Arrays.fill(ranks, 1.0);
        for (int i = 0; i < ROUNDS; i++) {
            double[] sums = new double[VERTICES];
            for (int vertex = 0; vertex < VERTICES; vertex++) {
                for (int target : GRAPH.neighbours[vertex]) {
                    sums[target] += ranks[vertex] / GRAPH.neighbours[vertex].length;
                }
            }
            for (int vertex = 0; vertex < VERTICES; vertex++) {
                ranks[vertex] = 0.15 + 0.85 * sums[vertex];
            }
        }
        return IntStream.range(0, VERTICES).mapToDouble(vertex -> GRAPH.neighbours[vertex].length == 0 ? 0
            : ranks[vertex] * (vertex % 97)).sum();
    }
}
