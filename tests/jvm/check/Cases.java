import java.math.BigInteger;
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
import jvm.Single$;

/** Graphs with every kind of field and array, cycles, shared objects, texts, constants, classes and hash tables. */
final class Cases {
    private Cases() {}

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

    /** count: nodes of the list. */
    static List<Object> all(int count) {
        Plain shared = plain();
        shared.text = "\u4e2d\u6587 wide";
        Plain list = null;
        for (int i = 0; i < count; i++) {
            Plain node = new Plain(i);
            node.next = list;
            node.large = (long) i << 33;
            node.truth = i % 2 == 0;
            node.text = i % 5 == 0 ? "node " + i : shared.text;
            node.numbers = i % 7 == 0 ? new int[i % 4] : shared.numbers;
            node.any = i % 3 == 0 ? Colour.values()[i % 2] : i % 3 == 1 ? (Object) i : list;
            list = node;
        }
        List<Object> arrays = new ArrayList<>(List.of(new boolean[] {true, false, true}, new byte[] {1, 2, 3, 4, 5},
                new char[] {'a', '\uffff'}, new short[] {-1}, new int[0], new long[] {Long.MAX_VALUE},
                new float[] {0.5f, Float.NaN},
                new double[] {Math.PI, -0.0}, new long[][] {{1}, null, {}}, new Plain[] {shared, null, shared},
                new Integer[] {1, null, 1_000_000}, new Colour[] {Colour.GREEN, Colour.RED, Colour.GREEN}));
        arrays.add(arrays);
        arrays.add(Single$.MODULE$);
        Map<Object, Object> byIdentity = new HashMap<>(Map.of(Colour.BLUE, 1, Colour.GREEN, "two", String.class, 3,
                int[].class, 4));
        byIdentity.put(null, List.class.getName());
        Map<Object, Object> linked = new LinkedHashMap<>();
        for (int i = 0; i < 25; i++) {
            linked.put(i % 2 == 0 ? "key" + i : i, BigInteger.TWO.pow(i));
        }
        return List.of(plain(), new Object[] {shared, shared, new Point(1, 2, shared)}, list, arrays, byIdentity,
                linked, Colour.GREEN,
                new EnumMap<>(Map.of(Colour.BLUE, "b")), new HashSet<>(List.of("a", 2, Colour.RED)),
                new ArrayDeque<>(List.of(1, 2)),
                new IdentityHashMap<>(Map.of(Colour.RED, 1, Plain.class, 2)),
                new Class<?>[] {int.class, Check[].class.getComponentType(), Map.class}, "");
    }
}
