package peers;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Checks whether two graphs are isomorphic: the same classes and values and, if {@code sharing}, the same sharing. */
final class Same {
    private record Pair(Object one, Object other) {}

    private final IdentityHashMap<Object, Object> pairs = new IdentityHashMap<>();
    private final IdentityHashMap<Object, Object> back = new IdentityHashMap<>();
    private final ArrayDeque<Pair> open = new ArrayDeque<>();
    private final boolean sharing;

    private Same(boolean sharing) {
        this.sharing = sharing;
    }

    /** Returns a description of the first difference, or null. */
    static String difference(Object one, Object other, boolean sharing) throws IllegalAccessException {
        Same same = new Same(sharing);
        String difference = same.visit(one, other);
        while (difference == null && !same.open.isEmpty()) {
            Pair pair = same.open.poll();
            difference = same.contents(pair.one, pair.other);
        }
        return difference;
    }

    private String visit(Object one, Object other) {
        if (one == null || other == null) {
            return one == other ? null : one + " is " + other;
        }
        if (one.getClass() != other.getClass()) {
            return one.getClass() + " is " + other.getClass();
        }
        if (one instanceof Enum) {
            return one == other ? null : "another constant " + other;
        }
        if (one instanceof Number || one instanceof Boolean || one instanceof Character || one instanceof String && !sharing) {
            return one.equals(other) ? null : one + " is " + other;
        }
        Object known = pairs.get(one);
        if (known != null || back.get(other) != null) {
            boolean agree = known == other && back.get(other) == one;
            return agree || !sharing && known == null ? null : "sharing differs at " + one.getClass();
        }
        pairs.put(one, other);
        back.put(other, one);
        open.add(new Pair(one, other));
        return null;
    }

    private String contents(Object one, Object other) throws IllegalAccessException {
        if (one instanceof String) {
            return one.equals(other) ? null : one + " is " + other;
        }
        if (one instanceof List<?> list) {
            return contents(list.toArray(), ((List<?>) other).toArray());
        }
        if (one instanceof HashMap<?, ?> map) {
            return entries(map, (Map<?, ?>) other);
        }
        if (one.getClass().isArray()) {
            int length = Array.getLength(one);
            String difference = length == Array.getLength(other) ? null : "length differs";
            for (int i = 0; difference == null && i < length; i++) {
                Object mine = Array.get(one, i);
                difference = one.getClass().getComponentType().isPrimitive() ? plain(mine, Array.get(other, i)) : visit(mine, Array.get(other, i));
            }
            return difference;
        }
        for (Class<?> type = one.getClass(); type != Object.class; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if ((field.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) != 0) {
                    continue;
                }
                field.setAccessible(true);
                Object mine = field.get(one);
                String difference = field.getType().isPrimitive() ? plain(mine, field.get(other)) : visit(mine, field.get(other));
                if (difference != null) {
                    return field + ": " + difference;
                }
            }
        }
        return null;
    }

    private static String plain(Object mine, Object theirs) {
        return Objects.equals(mine, theirs) ? null : mine + " is " + theirs;
    }

    /** Checks that a lookup finds every key, and that each key and value is the right object. */
    private String entries(HashMap<?, ?> map, Map<?, ?> theirs) {
        if (map.size() != theirs.size()) {
            return "size " + map.size() + " is " + theirs.size();
        }
        Map<Object, Object> keys = new HashMap<>();
        theirs.keySet().forEach(key -> keys.put(key, key));
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (!theirs.containsKey(entry.getKey())) {
                return "no key " + entry.getKey();
            }
            String difference = visit(entry.getKey(), keys.get(entry.getKey()));
            if (difference == null) {
                difference = visit(entry.getValue(), theirs.get(entry.getKey()));
            }
            if (difference != null) {
                return "key " + entry.getKey() + ": " + difference;
            }
        }
        return null;
    }
}
