package heapwire.spark.programs;

import heapwire.spark.Program;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.Partitioner;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/** Cereal's Terasort: records of 100 bytes, ten of which are the key, brought into order by one shuffle of (byte[],
  * byte[]). */
public final class Terasort extends Program {
    private static final int RECORDS = 120_000 * SCALE;
    private static final int KEY = 10;
    private static final int VALUE = 90;

    public Terasort() {
        super("terasort", RECORDS, "%,d records of %d bytes of key and %d of value", RECORDS, KEY, VALUE);
    }

    private static byte[] bytes(SplittableRandom dice, int count) {
        byte[] made = new byte[count];
        dice.nextBytes(made);
        return made;
    }

    private static List<Tuple2<byte[], byte[]>> part(int partition) {
        SplittableRandom dice = Input.dice(7, partition);
        return Stream.generate(() -> new Tuple2<>(bytes(dice, KEY), bytes(dice, VALUE)))
            .limit(RECORDS / Input.PARTITIONS).toList();
    }

    /** By the first byte of the key: keys are even. */
    private static final class ByFirst extends Partitioner {
        private static final long serialVersionUID = 1L;

        @Override
        public int numPartitions() {
            return Input.PARTITIONS;
        }

        @Override
        public int getPartition(Object key) {
            return (((byte[]) key)[0] & 0xFF) * Input.PARTITIONS / 256;
        }
    }

    private static final class Order implements Comparator<byte[]>, Serializable {
        private static final long serialVersionUID = 1L;

        @Override
        public int compare(byte[] first, byte[] second) {
            return Arrays.compareUnsigned(first, second);
        }
    }

    /** A number that the order of a partition's records decides. */
    private static double digest(Iterator<Tuple2<byte[], byte[]>> records) {
        double sum = 0;
        for (int place = 1; records.hasNext(); place++) {
            Tuple2<byte[], byte[]> each = records.next();
            sum += (double) place * ((each._1[KEY - 1] & 0xFF) + (each._2[VALUE - 1] & 0xFF));
        }
        return sum;
    }

    @Override
    public double run(JavaSparkContext context) {
        return Input.rdd(context, Terasort::part).mapToPair(each -> each)
            .repartitionAndSortWithinPartitions(new ByFirst(), new Order())
            .mapPartitions(records -> List.of(digest(records)).iterator()).mapToDouble(each -> each).sum();
    }

    @Override
    public double expected() {
        ByFirst first = new ByFirst();
        Order order = new Order();
        return Input.all(Terasort::part).stream().sorted((one, other) -> order.compare(one._1, other._1))
            .collect(Collectors.groupingBy(each -> first.getPartition(each._1))).values().stream()
            .mapToDouble(each -> digest(each.iterator())).sum();
    }
}
