package heapwire.spark.programs;

import heapwire.shuffle.Vertex;
import heapwire.spark.Program;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Skyway's TC: each vertex tells the neighbours above it which neighbours above it there are; who finds the same
  * ones among its own has found triangles. Two shuffles of (Integer, Vertex). */
public final class Triangles extends Program {
    private static final int VERTICES = 12_000 * SCALE;
    private static final int EDGES = 5;
    private static final Input.Graph GRAPH = new Input.Graph(4, VERTICES, EDGES);

    public Triangles() {
        super("triangles", VERTICES, "a graph of %,d vertices that choose %d neighbours each", VERTICES, EDGES);
    }

    private static int[] above(int vertex, int[] neighbours) {
        return Arrays.stream(neighbours).filter(each -> each > vertex).toArray();
    }

    private static List<Tuple2<Integer, Vertex>> part(int partition) {
        List<Tuple2<Integer, Vertex>> found = new ArrayList<>();
        for (int i = partition; i < VERTICES; i += Input.PARTITIONS) {
            Vertex vertex = new Vertex();
            vertex.id = i;
            vertex.neighbours = above(i, GRAPH.neighbours[i]);
            found.add(new Tuple2<>(i, vertex));
        }
        return found;
    }

    private static Iterator<Tuple2<Integer, Vertex>> told(Vertex vertex) {
        return Arrays.stream(vertex.neighbours).mapToObj(target -> new Tuple2<>(target, vertex)).iterator();
    }

    private static long common(int[] first, int[] second) {
        long found = 0;
        for (int i = 0, k = 0; i < first.length && k < second.length;) {
            if (first[i] == second[k]) {
                found++;
            }
            boolean less = first[i] <= second[k];
            k += second[k] <= first[i] ? 1 : 0;
            i += less ? 1 : 0;
        }
        return found;
    }

    @Override
    public double run(JavaSparkContext context) {
        JavaPairRDD<Integer, Vertex> vertices = Input.rdd(context, Triangles::part).mapToPair(each -> each)
            .partitionBy(Input.PLACES);
        JavaPairRDD<Integer, Vertex> told = vertices.flatMapToPair(each -> told(each._2)).partitionBy(Input.PLACES);
        return vertices.cogroup(told).mapToDouble(each -> {
            Vertex own = each._2._1.iterator().next();
            double found = 0;
            for (Vertex other : each._2._2) {
                found += common(own.neighbours, other.neighbours);
            }
            return found;
        }).sum();
    }

    @Override
    public double expected() {
        double found = 0;
        for (int i = 0; i < VERTICES; i++) {
            int[] mine = above(i, GRAPH.neighbours[i]);
            for (int target : mine) {
                found += common(mine, above(target, GRAPH.neighbours[target]));
            }
        }
        return found;
    }
}
