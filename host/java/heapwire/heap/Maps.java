package heapwire.heap;

import java.io.InvalidObjectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Hash tables that have arrived. Keys that hash by identity, such as constants of enums, have other hashes here than
  * where the table was made. */
final class Maps {
    private Maps() {}

    /** Builds each of the JDK's hash tables anew whose keys are not found where they lie. */
    static void settle(Object[] objects, int count) throws InvalidObjectException {
        for (int i = 0; i < count; i++) {
            Object each = objects[i];
            if (each instanceof HashSet<?> set) {
                refill(set, count);
            } else if (each instanceof HashMap || each instanceof IdentityHashMap || each instanceof Hashtable
                    || each instanceof ConcurrentHashMap) {
                try {
                    settle((Map<?, ?>) each, count);
                } catch (RuntimeException | StackOverflowError error) {
                    throw invalid(each, error);
                }
            }
        }
    }

    /** Fills a set anew: its map must hold the one object that the JVM puts there for each element. */
    private static <T> void refill(HashSet<T> set, int most) throws InvalidObjectException {
        List<T> elements = new ArrayList<>();
        try {
            for (T each : set) {
                if (elements.size() == most) {
                    throw new InvalidObjectException("a set with more elements than objects");
                }
                elements.add(each);
            }
            set.clear();
            set.addAll(elements);
        } catch (RuntimeException | StackOverflowError error) {
            throw invalid(set, error);
        }
    }

    private static InvalidObjectException invalid(Object table, Throwable error) {
        InvalidObjectException invalid = new InvalidObjectException("a " + table.getClass().getName()
                + " whose keys cannot be looked up");
        invalid.initCause(error);
        return invalid;
    }

    private static <K, V> void settle(Map<K, V> map, int most) throws InvalidObjectException {
        List<K> keys = new ArrayList<>();
        List<V> values = new ArrayList<>();
        boolean found = true;
        for (Map.Entry<K, V> entry : map.entrySet()) {
            if (keys.size() == most) {
                throw new InvalidObjectException("a " + map.getClass().getName() + " with more entries than objects");
            }
            keys.add(entry.getKey());
            values.add(entry.getValue());
            found = found && map.containsKey(entry.getKey());
        }
        if (!found) {
            map.clear();
            for (int i = 0; i < keys.size(); i++) {
                map.put(keys.get(i), values.get(i));
            }
        }
    }
}
