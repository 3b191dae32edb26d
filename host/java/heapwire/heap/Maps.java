package heapwire.heap;

import java.io.InvalidObjectException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Hash tables that have arrived. Keys that hash by identity, such as constants of enums, have other hashes here than
  * where the table was made, and a look-up in a stranger's table need not end: all tables are built anew. */
final class Maps {
    private static final List<Kind> KINDS = List.of(new Kind(HashMap::new), new Kind(Hashtable::new),
            new Kind(ConcurrentHashMap::new), new Kind(IdentityHashMap::new));
    private static final HeapClass SET = Sound.layout(HashSet.class);
    /** The object that each element of a HashSet has as its value. */
    private static final Object PRESENT = Memory.constant(HashSet.class, "PRESENT");

    private record Kind(HeapClass layout, Supplier<Map<?, ?>> maker) {
        Kind(Supplier<Map<?, ?>> maker) {
            this(Sound.layout(maker.get().getClass()), maker);
        }

        /** Properties have another table within. */
        boolean has(Object object) {
            return layout.type.isInstance(object) && !(object instanceof Properties);
        }

        /** Empties a map, whatever is in it: clear() of one of a stranger need not end. */
        void empty(Map<?, ?> map) {
            Map<?, ?> made = maker.get();
            byte[] body = new byte[(int) layout.body(0)];
            layout.values(made, body, 0);
            layout.fill(map, body, 0);
            for (int i = 0; i < layout.references(0); i++) {
                layout.reference(map, i, layout.reference(made, i));
            }
            if (map instanceof LinkedHashMap) {
                map.clear();
            }
        }
    }

    private record Table(Kind kind, Map<Object, Object> map, List<Object> keys, List<Object> values) {}

    private final List<Table> tables = new ArrayList<>();
    private final Set<Object> ofSets = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Object> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
    private final int most;
    private int nodes;

    private Maps(int most) {
        this.most = most;
    }

    /** Fills each of the JDK's hash tables anew. Reads all of them before code of a key runs, which may look into
      * others. */
    static void settle(Object[] objects, HeapClass[] classes, int count) throws InvalidObjectException {
        Maps all = new Maps(count);
        for (int i = 0; i < count; i++) {
            if (classes[i].only == null) {
                all.read(objects[i]);
            }
        }
        all.fill();
    }

    @SuppressWarnings("unchecked")
    private void read(Object object) throws InvalidObjectException {
        if (object instanceof HashSet) {
            ofSets.add(SET.reference(object, SET.reference("map")));
        }
        for (Kind kind : KINDS) {
            if (kind.has(object)) {
                try {
                    read(new Table(kind, (Map<Object, Object>) object, new ArrayList<>(), new ArrayList<>()));
                } catch (RuntimeException error) {
                    throw invalid(object, "cannot be read", error);
                }
            }
        }
    }

    private void read(Table table) throws InvalidObjectException {
        Object array = table.kind.layout.reference(table.map, table.kind.layout.reference("table"));
        if (array != null && !arrays.add(array)) {
            throw invalid(table.map, "shares its table", null);
        }
        for (Map.Entry<Object, Object> entry : table.map.entrySet()) {
            table.keys.add(entry.getKey());
            table.values.add(entry.getValue());
            int entries = table.map instanceof IdentityHashMap ? table.keys.size() : ++nodes;
            if (entries > most) {
                throw invalid(table.map, "has more entries than there are objects", null);
            }
        }
        if (table.keys.isEmpty()) {
            table.kind.empty(table.map);
        } else {
            tables.add(table);
        }
    }

    private void fill() throws InvalidObjectException {
        for (Table each : tables) {
            try {
                each.kind.empty(each.map);
                boolean ofSet = ofSets.contains(each.map);
                for (int i = 0; i < each.keys.size(); i++) {
                    each.map.put(each.keys.get(i), ofSet ? PRESENT : each.values.get(i));
                }
            } catch (RuntimeException | StackOverflowError error) {
                throw invalid(each.map, "has keys that cannot be looked up", error);
            }
        }
    }

    private static InvalidObjectException invalid(Object table, String problem, Throwable error) {
        InvalidObjectException invalid = new InvalidObjectException("a " + table.getClass().getName() + " that "
                + problem);
        invalid.initCause(error);
        return invalid;
    }
}
