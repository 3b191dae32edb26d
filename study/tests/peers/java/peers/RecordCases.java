package peers;

import heapwire.bench.DenseVector;
import heapwire.bench.SparseVector;
import heapwire.bench.Vector;
import heapwire.peers.ManualSerializers;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;

/** Every kind of record (ManualSerializers), of random contents: forty of each class, as an array, and one alone. */
final class RecordCases {
    private static final int RECORDS = 40;
    /** What is null now and then. */
    private static final List<Class<?>> NULLABLE = List.of(String.class, String[].class, byte[].class, int[].class, double[].class,
        Vector.class, SparseVector.class);

    private final Random random = new Random(7);

    private RecordCases() {}

    static void add(BiConsumer<String, Object> add) throws ReflectiveOperationException {
        RecordCases cases = new RecordCases();
        for (Class<?> each : ManualSerializers.records()) {
            add.accept(each.getSimpleName() + "s", cases.array(each, RECORDS));
            add.accept(each.getSimpleName(), cases.made(each));
        }
    }

    private Object array(Class<?> type, int length) throws ReflectiveOperationException {
        Object all = Array.newInstance(type, length);
        for (int i = 0; i < length; i++) {
            Array.set(all, i, value(type, false));
        }
        return all;
    }

    private Object made(Class<?> type) throws ReflectiveOperationException {
        Object record = type.getConstructor().newInstance();
        for (Field field : type.getFields()) {
            boolean nullable = NULLABLE.contains(field.getType()) && random.nextInt(9) == 0;
            field.set(record, nullable ? null : value(field.getType(), field.getName().equals("balance")));
        }
        return record;
    }

    /** Numbers are not negative unless `signed`. */
    private Object value(Class<?> type, boolean signed) throws ReflectiveOperationException {
        if (type == byte.class) {
            return (byte) random.nextInt();
        } else if (type == int.class) {
            return random.nextInt() >>> 1 >>> random.nextInt(31);
        } else if (type == long.class) {
            return (random.nextLong() >>> 1 >>> random.nextInt(63)) * (signed && random.nextBoolean() ? -1 : 1);
        } else if (type == float.class) {
            return random.nextInt(10) / 2f;
        } else if (type == double.class) {
            return random.nextGaussian();
        } else if (type == String.class) {
            return "text " + random.nextInt(1000);
        } else if (type.isArray()) {
            return array(type.getComponentType(), random.nextInt(30));
        }
        return made(type != Vector.class ? type : random.nextBoolean() ? SparseVector.class : DenseVector.class);
    }
}
