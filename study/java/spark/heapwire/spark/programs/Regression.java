package heapwire.spark.programs;

import heapwire.bench.DenseVector;
import heapwire.bench.LabeledPoint;
import heapwire.bench.SparseVector;
import heapwire.spark.Program;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;

/** Cereal's SVM and LR: gradient descent over labelled points. The points are cached in serialized form, so each
  * round reads them by the serializer; gradients are summed by a tree of tasks, which shuffles them: (Integer,
  * DenseVector). */
public final class Regression extends Program {
    private static final int PARTITIONS = 8;
    private static final int ROUNDS = 6;
    private final int points;
    private final int features;
    private final int filled;

    private Regression(String name, int points, int features, int filled) {
        super(name, points, "%,d points with %d of %,d features, %d rounds", points, filled, features, ROUNDS);
        this.points = points;
        this.features = features;
        this.filled = filled;
    }

    /** Hinge loss, points with few of many features. */
    public static Program svm() {
        return new Regression("svm", 16_000 * SCALE, 4096, 32);
    }

    /** Logistic loss, points with all of few features. */
    public static Program lr() {
        return new Regression("lr", 40_000 * SCALE, 20, 20);
    }

    private static List<LabeledPoint> part(int partition, int points, int features, int filled) {
        SplittableRandom dice = Input.dice(filled, partition);
        List<LabeledPoint> found = new ArrayList<>();
        for (int i = 0; i < points / PARTITIONS; i++) {
            LabeledPoint point = new LabeledPoint();
            double[] values = new double[filled];
            double sum = 0;
            for (int k = 0; k < filled; k++) {
                values[k] = dice.nextDouble() - 0.5;
                sum += k % 2 == 0 ? values[k] : -values[k];
            }
            point.label = sum > 0 ? 1 : 0;
            if (filled < features) {
                TreeSet<Integer> places = new TreeSet<>();
                while (places.size() < filled) {
                    places.add(dice.nextInt(features));
                }
                SparseVector vector = new SparseVector();
                vector.indices = places.stream().mapToInt(each -> each).toArray();
                vector.values = values;
                point.features = vector;
            } else {
                point.features = dense(values);
            }
            point.features.size = features;
            found.add(point);
        }
        return found;
    }

    private static DenseVector dense(double[] values) {
        DenseVector made = new DenseVector();
        made.size = values.length;
        made.values = values;
        return made;
    }

    /** Adds a point's part to the gradient. */
    private static DenseVector add(DenseVector gradient, LabeledPoint point, double[] weights) {
        double[] values = point.features instanceof SparseVector sparse ? sparse.values
            : ((DenseVector) point.features).values;
        int[] indices = point.features instanceof SparseVector sparse ? sparse.indices : null;
        double margin = 0;
        for (int i = 0; i < values.length; i++) {
            margin += values[i] * weights[indices == null ? i : indices[i]];
        }
        double sign = 2 * point.label - 1;
        double factor = indices == null ? 1 / (1 + Math.exp(-margin)) - point.label : sign * margin < 1 ? -sign : 0;
        for (int i = 0; factor != 0 && i < values.length; i++) {
            gradient.values[indices == null ? i : indices[i]] += factor * values[i];
        }
        return gradient;
    }

    private static DenseVector sum(DenseVector first, DenseVector second) {
        for (int i = 0; i < first.values.length; i++) {
            first.values[i] += second.values[i];
        }
        return first;
    }

    private static void step(double[] weights, DenseVector gradient, int points) {
        for (int i = 0; i < weights.length; i++) {
            weights[i] -= 4.0 / points * gradient.values[i];
        }
    }

    private static double digest(double[] weights) {
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            sum += Math.abs(weights[i]) * (1 + i % 5);
        }
        return sum;
    }

    @Override
    public double run(JavaSparkContext context) {
        int many = points;
        int size = features;
        int each = filled;
        JavaRDD<LabeledPoint> input = Input.rdd(context, PARTITIONS, partition -> part(partition, many, size, each))
            .persist(StorageLevel.MEMORY_ONLY_SER());
        double[] weights = new double[features];
        for (int i = 0; i < ROUNDS; i++) {
            double[] present = weights.clone();
            step(weights, input.treeAggregate(dense(new double[size]),
                (gradient, point) -> add(gradient, point, present), Regression::sum, 2), points);
        }
        input.unpersist(true);
        return digest(weights);
    }

    @Override
    public double expected() {
        List<LabeledPoint> all = Input.all(PARTITIONS, partition -> part(partition, points, features, filled));
        double[] weights = new double[features];
        for (int i = 0; i < ROUNDS; i++) {
            DenseVector gradient = dense(new double[features]);
            all.forEach(point -> add(gradient, point, weights));
            step(weights, gradient, points);
        }
        return digest(weights);
    }
}
