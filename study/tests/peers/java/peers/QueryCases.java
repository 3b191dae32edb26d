package peers;

import heapwire.query.CustomerRevenue;
import heapwire.query.CustomerRow;
import heapwire.query.KeyedSum;
import heapwire.query.LineItemRow;
import heapwire.query.OrderRevenue;
import heapwire.query.OrderRow;
import heapwire.query.PartOffer;
import heapwire.query.PartRow;
import heapwire.query.PartSuppRow;
import heapwire.query.SupplierRow;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.Random;
import java.util.function.BiConsumer;

/** Records of queries: ten of each class, as an array, and the last one alone. */
final class QueryCases {
    private static final Class<?>[] CLASSES = {LineItemRow.class, OrderRow.class, CustomerRow.class, PartRow.class, SupplierRow.class, PartSuppRow.class, PartOffer.class, OrderRevenue.class, CustomerRevenue.class, KeyedSum.class};

    private final Random random = new Random(7);

    private QueryCases() {}

    static void add(BiConsumer<String, Object> add) throws ReflectiveOperationException {
        QueryCases cases = new QueryCases();
        for (Class<?> each : CLASSES) {
            Object all = Array.newInstance(each, 10);
            for (int i = 0; i < 10; i++) {
                Array.set(all, i, cases.made(each));
            }
            add.accept("query-" + each.getSimpleName() + "s", all);
            add.accept("query-" + each.getSimpleName(), cases.made(each));
        }
    }

    /** Numbers are not negative but for balances; some strings are null. */
    private Object made(Class<?> type) throws ReflectiveOperationException {
        Object record = type.getConstructor().newInstance();
        for (Field field : type.getFields()) {
            if (field.getType() == int.class) {
                field.setInt(record, random.nextInt() >>> 1 >>> random.nextInt(31));
            } else if (field.getType() == long.class) {
                long value = random.nextLong() >>> 1 >>> random.nextInt(63);
                field.setLong(record, field.getName().equals("balance") && random.nextBoolean() ? -value : value);
            } else if (field.getType() == String.class) {
                field.set(record, random.nextInt(9) == 0 ? null : "text " + random.nextInt(1000));
            } else {
                field.set(record, made(field.getType()));
            }
        }
        return record;
    }
}
