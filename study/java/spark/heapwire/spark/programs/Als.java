package heapwire.spark.programs;

import heapwire.bench.DenseVector;
import heapwire.bench.LabeledPoint;
import heapwire.bench.Rating;
import heapwire.spark.Program;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.apache.spark.HashPartitioner;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;

/** Cereal's ALS: factors of users and of items in turn. Ratings are brought to their users and to their items,
  * (Integer, Rating); in each half round those of one side send a rating with their factors to the other side,
  * (Integer, LabeledPoint of a DenseVector). */
public final class Als extends Program {
    private static final int RATINGS = 24_000 * SCALE;
    private static final int USERS = 3_000 * SCALE;
    private static final int ITEMS = 800 * SCALE;
    private static final int RANK = 8;
    private static final int ROUNDS = 2;

    public Als() {
        super("als", RATINGS, "%,d ratings of %,d users and %,d items, %d factors, %d rounds",
            RATINGS, USERS, ITEMS, RANK, ROUNDS);
    }

    private static List<Rating> part(int partition) {
        SplittableRandom dice = Input.dice(8, partition);
        List<Rating> found = new ArrayList<>();
        for (int i = 0; i < RATINGS / Input.PARTITIONS; i++) {
            Rating rating = new Rating();
            rating.user = dice.nextInt(USERS);
            rating.item = Input.skewed(dice, ITEMS);
            rating.rating = dice.nextInt(10) / 2f;
            found.add(rating);
        }
        return found;
    }

    /** Factors to begin with, which hang on the number alone. */
    private static double[] first(int number) {
        SplittableRandom dice = Input.dice(9, number);
        return dice.doubles(RANK).toArray();
    }

    private static LabeledPoint message(double[] factors, Rating rating) {
        LabeledPoint made = new LabeledPoint();
        DenseVector vector = new DenseVector();
        vector.size = RANK;
        vector.values = factors;
        made.label = rating.rating;
        made.features = vector;
        return made;
    }

    /** Factors that come nearest to the ratings: normal equations, by Gauss. */
    private static double[] solve(Iterable<LabeledPoint> messages) {
        List<LabeledPoint> found = new ArrayList<>();
        messages.forEach(found::add);
        // One order, whatever came first: sums of doubles hang on it.
        found.sort(Comparator.<LabeledPoint>comparingDouble(each -> ((DenseVector) each.features).values[0])
            .thenComparingDouble(each -> each.label));
        double[][] rows = new double[RANK][RANK + 1];
        for (LabeledPoint each : found) {
            double[] factors = ((DenseVector) each.features).values;
            for (int i = 0; i < RANK; i++) {
                for (int k = 0; k < RANK; k++) {
                    rows[i][k] += factors[i] * factors[k];
                }
                rows[i][RANK] += factors[i] * each.label;
            }
        }
        for (int i = 0; i < RANK; i++) {
            rows[i][i] += 0.1 * found.size() + 0.1;
        }
        for (int i = 0; i < RANK; i++) {
            for (int other = 0; other < RANK; other++) {
                double factor = other == i ? 0 : rows[other][i] / rows[i][i];
                for (int k = i; factor != 0 && k <= RANK; k++) {
                    rows[other][k] -= factor * rows[i][k];
                }
            }
        }
        double[] result = new double[RANK];
        for (int i = 0; i < RANK; i++) {
            result[i] = rows[i][RANK] / rows[i][i];
        }
        return result;
    }

    private static double digest(int number, double[] factors) {
        double sum = 0;
        for (double each : factors) {
            sum += Math.abs(each);
        }
        return sum * (1 + number % 11);
    }

    /** What one side's factors make of the other side's. */
    private static JavaPairRDD<Integer, double[]> half(JavaPairRDD<Integer, Iterable<Rating>> ratings,
        JavaPairRDD<Integer, double[]> factors, boolean toUsers, HashPartitioner places) {
        return ratings.join(factors).flatMapToPair(each -> {
            List<Tuple2<Integer, LabeledPoint>> found = new ArrayList<>();
            each._2._1.forEach(rating -> found.add(new Tuple2<>(toUsers ? rating.user : rating.item,
                message(each._2._2, rating))));
            return found.iterator();
        }).groupByKey(places).mapValues(Als::solve);
    }

    @Override
    public double run(JavaSparkContext context) {
        HashPartitioner places = new HashPartitioner(Input.PARTITIONS);
        var ratings = Input.rdd(context, Als::part);
        var byUser = ratings.mapToPair(each -> new Tuple2<>(each.user, each)).groupByKey(places)
            .persist(StorageLevel.MEMORY_ONLY());
        var byItem = ratings.mapToPair(each -> new Tuple2<>(each.item, each)).groupByKey(places)
            .persist(StorageLevel.MEMORY_ONLY());
        JavaPairRDD<Integer, double[]> items = byItem.keys().mapToPair(each -> new Tuple2<>(each, first(each)))
            .partitionBy(places);
        JavaPairRDD<Integer, double[]> users = null;
        for (int i = 0; i < ROUNDS; i++) {
            users = half(byItem, items, true, places);
            items = half(byUser, users, false, places);
        }
        double found = items.mapToDouble(each -> digest(each._1, each._2)).sum();
        byUser.unpersist(true);
        byItem.unpersist(true);
        return found;
    }

    private static Map<Integer, double[]> half(List<Rating> ratings, Map<Integer, double[]> factors, boolean toUsers) {
        return ratings.stream().collect(Collectors.groupingBy(each -> toUsers ? each.user : each.item,
            Collectors.mapping(each -> message(factors.get(toUsers ? each.item : each.user), each),
                Collectors.collectingAndThen(Collectors.toList(), Als::solve))));
    }

    @Override
    public double expected() {
        List<Rating> ratings = Input.all(Als::part);
        Map<Integer, double[]> items = new HashMap<>();
        for (Rating each : ratings) {
            items.computeIfAbsent(each.item, Als::first);
        }
        for (int i = 0; i < ROUNDS; i++) {
            items = half(ratings, half(ratings, items, true), false);
        }
        return items.entrySet().stream().mapToDouble(each -> digest(each.getKey(), each.getValue())).sum();
    }
}
