package heapwire.spark;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Object graphs by reflection: how many objects and references they have, and their text (study/docs/spark.md): a
  * list of objects, the root first, each a list of its class and its contents. Contents are text of a String, numbers
  * or hexadecimal digits of an array, places in the list (from 0 on) or null of an array of references, and of any
  * other object its fields by name. */
final class Graphs {
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    long objects;
    long references;

    /** Adds the objects and the references of a root to the sums. */
    void count(Object root) {
        Map<Object, Integer> places = new IdentityHashMap<>();
        List<Object> found = reach(root, places);
        objects += found.size();
        for (Object each : found) {
            references += each instanceof Object[] array ? array.length : each instanceof String ? 1
                : each.getClass().isArray() ? 0 : fieldsOf(each.getClass()).stream()
                .filter(field -> !field.getType().isPrimitive()).count();
        }
        objects += found.stream().filter(each -> each instanceof String).count();  // its array, which is not looked at
    }

    String text(Object root) {
        Map<Object, Integer> places = new IdentityHashMap<>();
        StringBuilder out = new StringBuilder("[");
        for (Object each : reach(root, places)) {
            out.append(out.length() > 1 ? ", " : "").append("[\"").append(each.getClass().getName()).append("\", ");
            contents(each, places, out);
            out.append("]");
        }
        return out.append("]").toString();
    }

    private List<Object> reach(Object root, Map<Object, Integer> places) {
        List<Object> found = new ArrayList<>();
        add(root, places, found);
        for (int i = 0; i < found.size(); i++) {
            Object each = found.get(i);
            if (each instanceof Object[] array) {
                for (Object element : array) {
                    add(element, places, found);
                }
            } else if (!(each instanceof String) && !each.getClass().isArray()) {
                for (Field field : fieldsOf(each.getClass())) {
                    if (!field.getType().isPrimitive()) {
                        add(get(field, each), places, found);
                    }
                }
            }
        }
        return found;
    }

    private static void add(Object object, Map<Object, Integer> places, List<Object> found) {
        if (object != null && places.putIfAbsent(object, found.size()) == null) {
            found.add(object);
        }
    }

    private void contents(Object object, Map<Object, Integer> places, StringBuilder out) {
        if (object instanceof String text) {
            Json.text(out, text);
        } else if (object instanceof byte[] bytes) {
            out.append('"');
            for (byte each : bytes) {
                out.append(Character.forDigit(each >> 4 & 15, 16)).append(Character.forDigit(each & 15, 16));
            }
            out.append('"');
        } else if (object.getClass().isArray()) {
            out.append("[");
            for (int i = 0; i < Array.getLength(object); i++) {
                out.append(i > 0 ? ", " : "");
                slot(Array.get(object, i), object.getClass().getComponentType().isPrimitive(), places, out);
            }
            out.append("]");
        } else {
            out.append("{");
            String separator = "";
            for (Field field : fieldsOf(object.getClass())) {
                out.append(separator).append('"').append(field.getName()).append("\": ");
                slot(get(field, object), field.getType().isPrimitive(), places, out);
                separator = ", ";
            }
            out.append("}");
        }
    }

    private static void slot(Object value, boolean primitive, Map<Object, Integer> places, StringBuilder out) {
        if (!primitive) {
            out.append(value == null ? "null" : places.get(value).toString());
        } else if (value instanceof Float number) {
            out.append(number.doubleValue());
        } else {
            out.append(value instanceof Character letter ? (int) letter : value);
        }
    }

    private List<Field> fieldsOf(Class<?> type) {
        return fields.computeIfAbsent(type, wanted -> {
            List<Field> found = new ArrayList<>();
            for (Class<?> each = wanted; each != null; each = each.getSuperclass()) {
                for (Field field : each.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        found.add(field);
                    }
                }
            }
            return found;
        });
    }

    private static Object get(Field field, Object object) {
        try {
            return field.get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }
}
