import heapwire.cereal.CerealInputStream;
import heapwire.cereal.CerealOutputStream;
import heapwire.cereal.ClassSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import jvm.Colour;

/** Hash tables of all kinds, as they are and with the hashes that their keys have in another JVM. */
final class Tables {
    private Tables() {}

    static void check() throws IOException, ReflectiveOperationException {
        for (int hash : new int[] {0, 5, -1}) {
            for (Map<Object, Object> made : List.of(new HashMap<>(), new LinkedHashMap<>(4, 0.75f, true),
                    new Hashtable<>(), new ConcurrentHashMap<>(), new IdentityHashMap<>(), new Properties())) {
                for (Object key : new Object[] {Colour.GREEN, Colour.RED, Colour.BLUE}) {
                    made.put(key, List.of(1, 2, made.size()));
                }
                Map<?, ?> wanted = new LinkedHashMap<>(made);
                boolean spoilt = hash != 0 && spoil(made, hash);
                Map<?, ?> found = (Map<?, ?>) copy(made);
                // A negative hash is that of no entry in a ConcurrentHashMap.
                boolean none = spoilt && hash < 0 && made instanceof ConcurrentHashMap;
                demand(found.getClass() == made.getClass() && found.size() == (none ? 0 : wanted.size()), found);
                List<?> keys = List.copyOf(found.keySet()); // before a look-up, which is an access
                found.forEach((key, value) -> demand(value.equals(wanted.get(key)), found));
                for (Object key : none ? Set.of() : wanted.keySet()) {
                    demand(found.get(key) != null, found);
                }
                List<?> order = List.copyOf(wanted.keySet());
                demand(!(made instanceof LinkedHashMap) || List.copyOf(keys).equals(order), found);
            }
            Set<Object> set = new LinkedHashSet<>(List.of(Colour.GREEN, Colour.RED, Colour.BLUE));
            Field map = HashSet.class.getDeclaredField("map");
            map.setAccessible(true);
            boolean spoilt = hash != 0 && spoil(map.get(set), hash);
            Set<?> found = (Set<?>) copy(set);
            demand(List.copyOf(found).equals(List.of(Colour.GREEN, Colour.RED, Colour.BLUE)), found);
            demand(found.remove(Colour.RED) && !found.contains(Colour.RED) && spoilt == (hash != 0), found);
        }
        System.out.println("good");
    }

    private static Object copy(Object object) throws IOException {
        ClassSet classes = ClassSet.growing();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new CerealOutputStream(out, classes).writeObject(object);
        return new CerealInputStream(new ByteArrayInputStream(out.toByteArray()), classes).readObject();
    }

    /** Gives the nodes of a table another hash. Returns whether it has nodes. */
    private static boolean spoil(Object map, int hash) throws ReflectiveOperationException {
        Class<?> type = map instanceof HashMap ? HashMap.class : map instanceof Hashtable ? Hashtable.class
                : map.getClass();
        Field field = type.getDeclaredField("table");
        field.setAccessible(true);
        Object table = field.get(map);
        boolean spoilt = false;
        for (int i = 0; table != null && i < Array.getLength(table); i++) {
            Object node = Array.get(table, i);
            if (node != null && !(map instanceof IdentityHashMap)) {
                Class<?> holder = map instanceof LinkedHashMap ? node.getClass().getSuperclass() : node.getClass();
                Field own = holder.getDeclaredField("hash");
                own.setAccessible(true);
                own.set(node, hash); // a final field, too
                spoilt = true;
            }
        }
        return spoilt;
    }

    private static void demand(boolean condition, Object found) {
        if (!condition) {
            throw new AssertionError(found.getClass() + " " + found);
        }
    }
}
