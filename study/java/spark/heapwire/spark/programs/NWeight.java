package heapwire.spark.programs;

import heapwire.bench.WeightedEdge;
import heapwire.bench.WeightedVertex;
import heapwire.spark.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Cereal's NWeight: how much vertices that are three edges apart have to do with each other. In each round a vertex
  * sends the vertices that it knows, each with its weight, along its edges: (Long, WeightedVertex). */
public final class NWeight extends Program {
    private static final int VERTICES = 2_000 * SCALE;
    private static final int EDGES = 6;
    private static final int ROUNDS = 2;
    /** Of what a vertex knows, as many of the greatest weight are sent. */
    private static final int MOST = 16;

    public NWeight() {
        super("nweight", VERTICES,
            "a graph of %,d vertices with up to %d weighted edges each, %d rounds of at most %d weights",
            VERTICES, EDGES, ROUNDS, MOST);
    }

    private static WeightedVertex vertex(long id, TreeMap<Long, Double> weights) {
        WeightedVertex made = new WeightedVertex();
        made.id = id;
        made.edges = weights.entrySet().stream()
            .sorted((first, second) -> first.getValue().equals(second.getValue())
                ? Long.compare(first.getKey(), second.getKey()) : Double.compare(second.getValue(), first.getValue()))
            .limit(MOST).map(each -> {
                WeightedEdge edge = new WeightedEdge();
                edge.target = each.getKey();
                edge.weight = each.getValue();
                return edge;
            }).toArray(WeightedEdge[]::new);
        return made;
    }

    private static List<Tuple2<Long, WeightedVertex>> part(int partition) {
        SplittableRandom dice = Input.dice(5, partition);
        List<Tuple2<Long, WeightedVertex>> found = new ArrayList<>();
        for (long i = partition; i < VERTICES; i += Input.PARTITIONS) {
            TreeMap<Long, Double> weights = new TreeMap<>();
            for (int k = 0; k < EDGES; k++) {
                weights.put((long) Input.skewed(dice, VERTICES), 1 + dice.nextInt(1 << 20) / (double) (1 << 20));
            }
            found.add(new Tuple2<>(i, vertex(i, weights)));
        }
        return found;
    }

    /** What a vertex knows, carried along one of its edges. */
    private static Tuple2<Long, WeightedVertex> sent(WeightedVertex known, WeightedEdge edge) {
        WeightedVertex made = new WeightedVertex();
        made.id = edge.target;
        made.edges = new WeightedEdge[known.edges.length];
        for (int i = 0; i < made.edges.length; i++) {
            made.edges[i] = new WeightedEdge();
            made.edges[i].target = known.edges[i].target;
            made.edges[i].weight = known.edges[i].weight * edge.weight;
        }
        return new Tuple2<>(edge.target, made);
    }

    /** All that has reached a vertex. In the order of the weights, so that sums do not hang on the order in which it
      * came. */
    private static WeightedVertex together(long id, Iterable<WeightedVertex> sent) {
        TreeMap<Long, List<Double>> weights = new TreeMap<>();
        for (WeightedVertex each : sent) {
            for (WeightedEdge edge : each.edges) {
                weights.computeIfAbsent(edge.target, target -> new ArrayList<>()).add(edge.weight);
            }
        }
        TreeMap<Long, Double> sums = new TreeMap<>();
        weights.forEach((target, found) -> sums.put(target, found.stream().sorted().mapToDouble(each -> each).sum()));
        return vertex(id, sums);
    }

    private static double digest(WeightedVertex vertex) {
        double sum = 0;
        for (WeightedEdge edge : vertex.edges) {
            sum += edge.weight * (1 + edge.target % 13);
        }
        return sum * (1 + vertex.id % 7);
    }

    @Override
    public double run(JavaSparkContext context) {
        JavaPairRDD<Long, WeightedVertex> vertices = Input.rdd(context, NWeight::part).mapToPair(each -> each)
            .partitionBy(Input.PLACES);
        JavaPairRDD<Long, WeightedVertex> known = vertices;
        for (int i = 0; i < ROUNDS; i++) {
            known = vertices.join(known).flatMapToPair(each -> Arrays.stream(each._2._1.edges)
                .map(edge -> sent(each._2._2, edge)).iterator()).groupByKey(Input.PLACES).mapToPair(each -> new Tuple2<>(each._1, together(each._1, each._2)))
                .partitionBy(Input.PLACES);
        }
        return known.mapToDouble(each -> digest(each._2)).sum();
    }

    @Override
    public double expected() {
        TreeMap<Long, WeightedVertex> vertices = new TreeMap<>();
        Input.all(NWeight::part).forEach(each -> vertices.put(each._1, each._2));
        TreeMap<Long, WeightedVertex> known = vertices;
        for (int i = 0; i < ROUNDS; i++) {
            TreeMap<Long, List<WeightedVertex>> told = new TreeMap<>();
            for (WeightedVertex vertex : known.values()) {
                if (vertices.containsKey(vertex.id)) {
                    for (WeightedEdge edge : vertices.get(vertex.id).edges) {
                        told.computeIfAbsent(edge.target, target -> new ArrayList<>()).add(sent(vertex, edge)._2);
                    }
                }
            }
            TreeMap<Long, WeightedVertex> next = new TreeMap<>();
            told.forEach((id, sent) -> next.put(id, together(id, sent)));
            known = next;
        }
        return known.values().stream().mapToDouble(NWeight::digest).sum();
    }
}
