import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import jvm.Plain;
import jvm.Point;
import jvm.Single$;

/** Compares graphs: classes, values, and which references lead to the same object. */
final class Same {
    private final IdentityHashMap<Object, Object> partner = new IdentityHashMap<>();
    private final ArrayDeque<Object[]> waiting = new ArrayDeque<>();

    void compare(Object wanted, Object found) {
        pair(wanted, found);
        while (!waiting.isEmpty()) {
            Object[] next = waiting.poll();
            try {
                inside(next[0], next[1]);
            } catch (ReflectiveOperationException error) {
                throw new AssertionError(error);
            }
        }
    }

    private void pair(Object wanted, Object found) {
        if (wanted == null || wanted instanceof Enum || wanted instanceof Class || wanted instanceof Single$) {
            demand(wanted == found, wanted, found);
            return;
        }
        Object known = partner.putIfAbsent(wanted, found);
        demand(known == null || known == found, wanted, found);
        if (known == null) {
            demand(found != null && wanted.getClass() == found.getClass(), wanted, found);
            waiting.add(new Object[] {wanted, found});
        }
    }

    private void inside(Object wanted, Object found) throws ReflectiveOperationException {
        if (wanted instanceof Plain || wanted instanceof Point) {
            for (var field : wanted.getClass().getDeclaredFields()) {
                if (!java.lang.reflect.Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    if (field.getType().isPrimitive()) {
                        demand(field.get(wanted).equals(field.get(found)), wanted, found);
                    } else {
                        pair(field.get(wanted), field.get(found));
                    }
                }
            }
        } else if (wanted instanceof Object[] array) {
            demand(array.length == ((Object[]) found).length, wanted, found);
            for (int i = 0; i < array.length; i++) {
                pair(array[i], ((Object[]) found)[i]);
            }
        } else if (wanted.getClass().isArray()) {
            demand(java.util.Arrays.deepEquals(new Object[] {wanted}, new Object[] {found}), wanted, found);
        } else if (wanted instanceof List<?> list) {
            demand(list.size() == ((List<?>) found).size(), wanted, found);
            for (int i = 0; i < list.size(); i++) {
                pair(list.get(i), ((List<?>) found).get(i));
            }
        } else if (wanted instanceof Map<?, ?> map) {
            demand(map.size() == ((Map<?, ?>) found).size(), wanted, found);
            map.forEach((key, value) -> {
                demand(((Map<?, ?>) found).containsKey(key) && value.equals(((Map<?, ?>) found).get(key)), wanted,
                        found);
            });
        } else if (wanted instanceof ArrayDeque<?> deque) {
            demand(List.copyOf(deque).equals(List.copyOf((ArrayDeque<?>) found)), wanted, found);
        } else {
            demand(wanted.equals(found) && wanted.hashCode() == found.hashCode(), wanted, found);
        }
    }

    private static void demand(boolean condition, Object wanted, Object found) {
        if (!condition) {
            throw new AssertionError(wanted.getClass() + " became " + (found == null ? null : found.getClass()));
        }
    }
}
