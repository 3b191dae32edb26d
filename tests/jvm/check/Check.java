import heapwire.cereal.CerealInputStream;
import heapwire.cereal.CerealOutputStream;
import heapwire.cereal.ClassSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jvm.Colour;
import jvm.Plain;
import jvm.Point;

/** Check MODE NAMES [IN] [OUT]. NAMES: a file of names of classes, which are registered. IN and OUT: files of streams,
  * each behind its length of 4 bytes. */
public final class Check {
    public static void main(String[] arguments) throws Exception {
        ClassSet classes = new ClassSet();
        for (String name : Files.readAllLines(Path.of(arguments[1]))) {
            classes.register(Class.forName(name));
        }
        switch (arguments[0]) {
            case "classes" -> System.out.println(Integer.toUnsignedString(classes.fingerprint()));
            case "write" -> write(classes, Path.of(arguments[2]));
            case "read" -> read(classes, Path.of(arguments[2]), Path.of(arguments[3]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Writes each of the cases, with and without marks, and reads it again. */
    private static void write(ClassSet classes, Path out) throws IOException {
        try (DataOutputStream to = new DataOutputStream(Files.newOutputStream(out))) {
            for (Object each : cases()) {
                for (boolean strip : new boolean[] {false, true}) {
                    byte[] stream = stream(each, classes, strip);
                    to.writeInt(stream.length);
                    to.write(stream);
                    Object again = new CerealInputStream(new ByteArrayInputStream(stream), classes).readObject();
                    // A set is filled anew on arrival, which its count of changes shows.
                    if (!(each instanceof HashSet) && !java.util.Arrays.equals(stream, stream(again, classes, strip))) {
                        throw new AssertionError("other bytes for the copy of " + each.getClass());
                    }
                    expect(each, again);
                }
            }
        }
        System.out.println("good");
    }

    private static byte[] stream(Object root, ClassSet classes, boolean strip) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new CerealOutputStream(out, classes, strip).writeObject(root);
        return out.toByteArray();
    }

    /** Reads the streams and prints for each whether it is good, or the error. Writes the good ones again. */
    private static void read(ClassSet classes, Path in, Path out) throws IOException {
        try (DataInputStream from = new DataInputStream(Files.newInputStream(in));
                DataOutputStream to = new DataOutputStream(Files.newOutputStream(out))) {
            while (from.available() > 0) {
                byte[] stream = from.readNBytes(from.readInt());
                try {
                    Object root = new CerealInputStream(new ByteArrayInputStream(stream), classes).readObject();
                    byte[] again = stream(root, classes, (stream[5] & 1) != 0);
                    to.writeInt(again.length);
                    to.write(again);
                    System.out.println("OK");
                } catch (IOException error) {
                    System.out.println(error.getClass().getSimpleName() + " " + error.getMessage());
                }
            }
        }
    }

    static Plain plain() {
        Plain made = new Plain(77);
        made.truth = true;
        made.tiny = -5;
        made.letter = '\u4e2d';
        made.small = -30_000;
        made.number = 0x12345678;
        made.large = Long.MIN_VALUE + 3;
        made.real = 1.5f;
        made.precise = -2.25;
        made.text = "h\u00e9llo";
        made.numbers = new int[] {1, -2, 3};
        made.next = made;
        return made;
    }

    private static List<Object> cases() {
        Plain shared = plain();
        shared.text = "\u4e2d\u6587 wide";
        Plain list = null;
        for (int i = 0; i < 100_000; i++) {
            Plain node = new Plain(i);
            node.next = list;
            list = node;
        }
        List<Object> arrays = new ArrayList<>(List.of(new boolean[] {true, false, true}, new byte[] {1, 2, 3, 4, 5},
                new char[] {'a', '\uffff'}, new short[] {-1}, new int[0], new long[] {Long.MAX_VALUE}, new float[] {0.5f, Float.NaN},
                new double[] {Math.PI, -0.0}, new long[][] {{1}, null, {}}, new Plain[] {shared, null, shared},
                new Integer[] {1, null, 1_000_000}, new Colour[] {Colour.GREEN, Colour.RED, Colour.GREEN}));
        arrays.add(arrays);
        Map<Object, Object> byIdentity = new HashMap<>(Map.of(Colour.BLUE, 1, Colour.GREEN, "two", String.class, 3, int[].class, 4));
        byIdentity.put(null, List.class.getName());
        Map<Object, Object> linked = new LinkedHashMap<>();
        for (int i = 0; i < 100; i++) {
            linked.put(i % 2 == 0 ? "key" + i : i, BigInteger.TWO.pow(i));
        }
        return List.of(plain(), new Object[] {shared, shared, new Point(1, 2, shared)}, list, arrays, byIdentity, linked, Colour.GREEN,
                new EnumMap<>(Map.of(Colour.BLUE, "b")), new HashSet<>(List.of("a", 2, Colour.RED)), new ArrayDeque<>(List.of(1, 2)),
                new IdentityHashMap<>(Map.of(Colour.RED, 1, Plain.class, 2)), new Class<?>[] {int.class, Check[].class.getComponentType(), Map.class}, "");
    }

    private static void expect(Object wanted, Object found) {
        new Same().compare(wanted, found);
    }

    /** Compares graphs: classes, values, and which references lead to the same object. */
    private static final class Same {
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
            if (wanted == null || wanted instanceof Enum || wanted instanceof Class) {
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
                    demand(((Map<?, ?>) found).containsKey(key) && value.equals(((Map<?, ?>) found).get(key)), wanted, found);
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
}
