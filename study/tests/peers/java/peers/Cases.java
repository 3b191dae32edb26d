package peers;

import data.media.Image;
import data.media.Media;
import data.media.MediaContent;
import heapwire.bench.GraphNode;
import heapwire.bench.ListNode;
import heapwire.bench.TreeNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Graphs by name. Every call makes the same ones. */
final class Cases {
    /** {@code manual}: ManualSerializers supports the classes. {@code ordered}: no order of a map depends on identity
      * hashes or on trees. {@code boxes}: the graph has boxes, whose identity Kryo does not keep. */
    record Case(Object graph, boolean manual, boolean ordered, boolean boxes) {}

    private final Map<String, Case> all = new LinkedHashMap<>();
    private final Random random = new Random(5);

    private Cases() {}

    static Map<String, Case> all() {
        Cases cases = new Cases();
        cases.strings();
        cases.boxes();
        cases.arrays();
        cases.lists();
        cases.maps();
        cases.fields();
        cases.benchmarks();
        cases.random();
        cases.records();
        return cases.all;
    }

    private void add(String name, Object graph) {
        all.put(name, new Case(graph, false, true, true));
    }

    private void manual(String name, Object graph) {
        all.put(name, new Case(graph, true, true, false));
    }

    private void strings() {
        String ascii = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(4);
        for (int length : new int[] {0, 1, 2, 3, 4, 5, 31, 32, 33, 62, 63, 64, 65, 127, 128}) {
            add("string-" + length, ascii.substring(0, length));
        }
        add("string-nul", "a\0b");
        add("string-one-nul", "\0");
        add("string-latin1", "Grüße, ÿ\u0080");
        add("string-latin1-long", "é".repeat(40));
        add("string-one-latin1", "ß");
        add("string-two-bytes", "\u07ff\u0100ab");
        add("string-utf16", "日本語 and \u0800\uffff");
        add("string-surrogates", "😀 \ud800 \udc00\udbff");
        add("string-65535", "x".repeat(65535));
        add("string-65536", "x".repeat(65536));
        add("string-encoded-65536", "é".repeat(32768));
        add("string-encoded-65534", "é".repeat(32767));
        add("string-long", "日本語".repeat(40000));
    }

    private void boxes() {
        add("null", null);
        Object[] boxes = {true, false, (byte) -128, (byte) 127, 'a', '\uffff', (short) -1, Short.MIN_VALUE, 0, -1, 63, 64, -64, -65,
            8191, 8192, 1 << 20, 1 << 27, 1 << 28, Integer.MAX_VALUE, Integer.MIN_VALUE, 0L, -1L, 1L << 34, 1L << 41, 1L << 48, 1L << 55,
            1L << 56, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE, 1.5f, Float.NaN, -0f, Float.MIN_VALUE, Math.PI, Double.NaN,
            Double.NEGATIVE_INFINITY, -0.0};
        for (int i = 0; i < boxes.length; i++) {
            add("box-" + i, boxes[i]);
        }
        add("boxes", boxes);
        Integer shared = 100000;
        add("shared-boxes", new Object[] {shared, shared, Media.Player.FLASH, Media.Player.FLASH, Media.Player.JAVA});
        add("enum", Image.Size.LARGE);
        add("empty", new Empty());
    }

    private void arrays() {
        add("booleans", new boolean[] {true, false, true});
        add("bytes", new byte[] {1, -1, 127, -128, 0});
        add("chars", new char[] {'a', '\0', '\uffff'});
        add("shorts", new short[] {1, -1, Short.MAX_VALUE, Short.MIN_VALUE});
        add("ints", random.ints(300).map(each -> each >> random.nextInt(32)).toArray());
        add("longs", random.longs(300).map(each -> each >> random.nextInt(64)).toArray());
        add("floats", new float[] {0, -1.5f, Float.MAX_VALUE, Float.NaN});
        add("doubles", new double[] {0, -1.5, Double.MAX_VALUE, Double.NaN});
        add("bytes-none", new byte[0]);
        add("longs-none", new long[0]);
        add("objects-none", new Object[0]);
        add("bytes-100000", new byte[100000]);
        add("ints-10000", random.ints(10000).toArray());
        add("strings", new String[] {"a", null, "", "a", "b\u00e4"});
        add("enums", new Media.Player[] {Media.Player.JAVA, null, Media.Player.FLASH, Media.Player.JAVA});
        add("empties", new Empty[] {new Empty(), null, new Empty()});
        add("grid", new long[][] {{1, 2}, null, {}, {3}});
        long[] row = {5};
        add("grid-shared", new long[][] {row, row});
        add("objects", new Object[] {1, "two", 3L, null, new int[] {4}, new Object[] {5.0}, Image.Size.SMALL, 'c', new Empty()});
        Object[] cycle = new Object[3];
        cycle[0] = cycle;
        cycle[1] = new Object[] {cycle, "x"};
        cycle[2] = cycle[1];
        add("objects-cycle", cycle);
        add("nested", new Object[][] {{1, "a"}, null, {}});
    }

    @SafeVarargs
    private static <T> ArrayList<T> list(T... elements) {
        return new ArrayList<>(Arrays.asList(elements));
    }

    private void lists() {
        add("list-none", new ArrayList<>());
        add("list-strings", list("a", "b", "a", "c"));
        add("list-strings-null", list("a", null, "a"));
        add("list-nulls", list(null, null, null));
        add("list-mixed", list("a", 1, null, 2L, Image.Size.LARGE));
        add("list-boxes", list(1, 2, 3, 1000000));
        add("list-boxes-null", list(1, null, 3));
        add("list-enums", list(Image.Size.LARGE, Image.Size.SMALL));
        add("list-lists", list(list("a"), list(), list("b", "c")));
        ArrayList<Object> own = list("x");
        own.add(own);
        add("list-of-itself", own);
        ArrayList<Object> many = new ArrayList<>();
        for (int i = 0; i < 9000; i++) {
            many.add(i % 3 == 0 ? "s" + i : (Object) i);
        }
        add("list-9000", many);
        ArrayList<Object> roomy = new ArrayList<>(500);
        roomy.add("only");
        add("list-roomy", roomy);
    }

    private static HashMap<Object, Object> filled(HashMap<Object, Object> map, int count, IntFunction<Object> key, IntFunction<Object> value) {
        for (int i = 0; i < count; i++) {
            map.put(key.apply(i), value.apply(i));
        }
        return map;
    }

    private void maps() {
        add("map-none", new HashMap<>());
        add("map-strings", filled(new HashMap<>(), 1000, i -> "key-" + i, i -> i));
        add("map-ints", filled(new HashMap<>(), 300, i -> i * 7919, i -> "v" + i));
        HashMap<Object, Object> kinds = new HashMap<>();
        kinds.put(null, "null");
        kinds.put("null", null);
        for (Object key : new Object[] {1, -1, 1L, 1L << 40, -5L, 'x', (byte) 3, (short) -3, true, false, 1.5f, Float.NaN, 2.5, Double.NaN, "Aa", "BB",
            "日本"}) {
            kinds.put(key, String.valueOf(key));
        }
        add("map-kinds", kinds);
        for (float factor : new float[] {0.1f, 0.5f, 10f}) {
            add("map-load-" + factor, filled(new HashMap<>(16, factor), 100, i -> i, i -> i));
        }
        String[] colliding = {"Aa", "BB"};
        add("map-colliding", filled(new HashMap<>(), 2, i -> colliding[i], i -> i + 1));
        IntFunction<Object> key = i -> IntStream.range(0, 8).mapToObj(bit -> colliding[i >> bit & 1]).collect(Collectors.joining());
        all.put("map-trees", new Case(filled(new HashMap<>(), 256, key, i -> i), false, false, true));
        HashMap<Object, Object> byEnum = new HashMap<>();
        byEnum.put(Image.Size.SMALL, 1);
        byEnum.put(Image.Size.LARGE, list(2));
        byEnum.put(Media.Player.JAVA, byEnum);
        all.put("map-enums", new Case(byEnum, false, false, true));
        HashMap<Object, Object> outer = new HashMap<>();
        outer.put("inner", new HashMap<>(Map.of("a", list(1, 2))));
        outer.put("again", outer.get("inner"));
        outer.put("self", outer);
        add("map-nested", outer);
        String shared = new String("shared");
        HashMap<Object, Object> one = new HashMap<>();
        HashMap<Object, Object> other = new HashMap<>();
        one.put(shared, new String("shared"));
        other.put(shared, shared);
        other.put(new String("apart"), shared);
        add("map-shared-keys", new Object[] {one, other, shared, new String("apart")});
    }

    private void fields() {
        add("fields-default", new Everything());
        Everything one = new Everything();
        one.yes = true;
        one.small = -7;
        one.letter = 'ä';
        one.medium = -300;
        one.whole = 123456;
        one.big = -1L << 40;
        one.real = 1.25f;
        one.precise = -2.5e100;
        one.skipped = 0;
        one.text = "text";
        one.any = "any";
        one.shared2 = one.text;
        one.boxedYes = true;
        one.boxedSmall = 1;
        one.boxedLetter = 'b';
        one.boxedMedium = 2;
        one.boxedWhole = -3;
        one.boxedBig = 4L;
        one.boxedReal = 5f;
        one.boxedPrecise = 6d;
        one.some = 7L;
        one.compared = "compared";
        one.serial = new int[] {1, 2};
        one.size = Image.Size.LARGE;
        one.players = new Media.Player[] {Media.Player.FLASH, null};
        one.self = one;
        one.base = new Everything();
        one.base.middle = one;
        one.base.shared = 99;
        one.flags = new boolean[] {true, false};
        one.bytes = "bytes".getBytes();
        one.letters = "letters".toCharArray();
        one.shorts = new short[] {1, -2};
        one.ints = new int[] {1, -2, 1 << 30};
        one.longs = new long[] {1, -2, 1L << 60};
        one.floats = new float[] {1, -2};
        one.doubles = new double[] {1, -2};
        one.grid = new long[][] {one.longs, {}, null};
        one.words = new String[] {"a", null, one.text};
        one.objects = new Object[] {one, 5, "x", null};
        one.images = new Image[] {image(1), null};
        one.nested = new Object[][] {{one}, null};
        one.names = list("n1", "n2", one.text);
        one.pictures = list(image(2), null, one.images[0]);
        one.wild = list(1, "2");
        one.bounded = list(1, 2, null);
        one.lines = list(list("a", "b"), list("c", null), null, list());
        one.mixed = list(1, "a", Image.Size.SMALL);
        one.raw = list("raw", "raw");
        one.counts = new HashMap<>(Map.of("one", 1, "two", 2));
        one.sizes = new HashMap<>();
        one.sizes.put("k", list(Image.Size.SMALL, Image.Size.LARGE));
        one.sizes.put("n", null);
        one.tables = new HashMap<>();
        one.tables.put(1, new HashMap<>(Map.of(2L, "x")));
        one.tables.put(null, null);
        @SuppressWarnings("unchecked")
        List<String>[] rows = (List<String>[]) new List<?>[] {list("r"), null};
        one.rows = rows;
        one.zebra = "zebra";
        one.ant = 3;
        one.middle = list(one);
        one.set((short) 77);
        one.shared = 1;
        ((Bases.Base) one).shared = 2;
        add("fields", one);
        add("fields-twice", new Object[] {one, one.base, "Ljava/lang/String;", "Ljava/lang/Object;", "value"});
    }

    private static Image image(int number) {
        Image image = new Image();
        image.uri = "http://javaone.com/keynote_" + number + ".jpg";
        image.title = number % 2 == 0 ? "Javaone Keynote" : null;
        image.width = 1024 * number;
        image.height = 768;
        image.size = number % 2 == 0 ? Image.Size.LARGE : Image.Size.SMALL;
        return image;
    }

    private void benchmarks() {
        MediaContent content = new MediaContent();
        Media media = content.media = new Media();
        media.uri = "http://javaone.com/keynote.mpg";
        media.title = "Javaone Keynote";
        media.width = 640;
        media.height = 480;
        media.format = "video/mpg4";
        media.duration = 18000000;
        media.size = 58982400;
        media.bitrate = 262144;
        media.hasBitrate = true;
        media.persons = list("Bill Gates", "Steve Jobs");
        media.player = Media.Player.JAVA;
        content.images = list(image(2), image(1));
        manual("media", content);
        MediaContent bare = new MediaContent();
        bare.media = new Media();
        manual("media-bare", bare);
        manual("tree-narrow", tree(2, 9));
        manual("tree-wide", tree(8, 4));
        manual("tree-leaf", tree(2, 0));
        for (int nodes : new int[] {1, 2, 1000}) {
            manual("list-nodes-" + nodes, linked(nodes, i -> random.nextLong() >> random.nextInt(64)));
        }
        manual("graph-sparse", graph(512, 1));
        manual("graph-middle", graph(200, 7));
        manual("graph-dense", graph(64, 63));
    }

    /** A list that ends with the value of 0. */
    static ListNode linked(int nodes, IntToLongFunction value) {
        ListNode first = null;
        for (int i = 0; i < nodes; i++) {
            ListNode node = new ListNode();
            node.value = value.applyAsLong(i);
            node.next = first;
            first = node;
        }
        return first;
    }

    private TreeNode tree(int width, int depth) {
        TreeNode node = new TreeNode();
        node.value = random.nextInt();
        if (depth > 0) {
            node.children = new TreeNode[width];
            for (int i = 0; i < width; i++) {
                node.children[i] = random.nextInt(20) == 0 ? null : tree(width, depth - 1);
            }
        }
        return node;
    }

    private GraphNode graph(int nodes, int edges) {
        GraphNode[] all = new GraphNode[nodes];
        for (int i = 0; i < nodes; i++) {
            all[i] = new GraphNode();
            all[i].value = random.nextLong();
        }
        for (int i = 0; i < nodes; i++) {
            all[i].edges = new GraphNode[edges];
            for (int k = 0; k < edges; k++) {
                all[i].edges[k] = all[k == 0 ? (i + 1) % nodes : random.nextInt(nodes)];
            }
        }
        return all[0];
    }

    /** Adds objects of many kinds that refer to one another at random. */
    private void random() {
        for (int number = 0; number < 60; number++) {
            Object[] pool = new Object[4 + number];
            for (int i = 0; i < pool.length; i++) {
                pool[i] = switch (random.nextInt(9)) {
                    case 0 -> new Object[random.nextInt(6)];
                    case 1 -> new ArrayList<>();
                    case 2 -> new HashMap<>();
                    case 3 -> "string " + random.nextInt(100);
                    case 4 -> random.nextLong() >> random.nextInt(64);
                    case 5 -> random.nextBoolean() ? Image.Size.LARGE : random.nextInt(1000);
                    case 6 -> random.ints(random.nextInt(20)).toArray();
                    default -> new Everything();
                };
            }
            for (Object each : pool) {
                connect(each, pool);
            }
            add("random-" + number, pool);
        }
    }

    private void connect(Object object, Object[] pool) {
        if (object instanceof Object[] array) {
            Arrays.setAll(array, i -> random.nextInt(5) == 0 ? null : pool[random.nextInt(pool.length)]);
        } else if (object instanceof ArrayList<?>) {
            @SuppressWarnings("unchecked")
            List<Object> elements = (List<Object>) object;
            for (int i = random.nextInt(6); i > 0; i--) {
                elements.add(random.nextInt(5) == 0 ? null : pool[random.nextInt(pool.length)]);
            }
        } else if (object instanceof HashMap<?, ?>) {
            @SuppressWarnings("unchecked")
            Map<Object, Object> entries = (Map<Object, Object>) object;
            for (int i = random.nextInt(20); i > 0; i--) {
                entries.put(random.nextBoolean() ? (Object) random.nextInt(100) : "key " + random.nextInt(100), pool[random.nextInt(pool.length)]);
            }
        } else if (object instanceof Everything everything) {
            Object other = pool[random.nextInt(pool.length)];
            everything.any = pool[random.nextInt(pool.length)];
            everything.middle = pool[random.nextInt(pool.length)];
            everything.shared2 = other;
            everything.whole = random.nextInt();
            everything.precise = random.nextGaussian();
            everything.self = other instanceof Everything same ? same : null;
            everything.base = everything.self;
            everything.text = other instanceof String text ? text : null;
            everything.boxedBig = other instanceof Long number ? number : null;
            everything.ints = other instanceof int[] numbers ? numbers : null;
            everything.size = Image.Size.values()[random.nextInt(2)];
        }
    }

    private void records() {
        try {
            RecordCases.add(this::manual);
        } catch (ReflectiveOperationException error) {
            throw new AssertionError(error);
        }
    }
}
