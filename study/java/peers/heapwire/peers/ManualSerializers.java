package heapwire.peers;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import data.media.Image;
import data.media.Media;
import data.media.MediaContent;
import heapwire.bench.*;
import heapwire.query.*;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** The serializers that are hand-written in C (study/firmware/peers/kryo/manual_classes.h): of each class the fields, in
  * the order of the stream. */
public final class ManualSerializers {
    private static final Format<Integer> INT = format((out, value) -> out.writeVarInt(value, true), in -> in.readVarInt(true));
    private static final Format<Long> LONG = format((out, value) -> out.writeVarLong(value, false), in -> in.readVarLong(false));
    private static final Format<Long> POSITIVE = format((out, value) -> out.writeVarLong(value, true), in -> in.readVarLong(true));
    private static final Format<Float> FLOAT = format(Output::writeFloat, Input::readFloat);
    private static final Format<Double> DOUBLE = format(Output::writeDouble, Input::readDouble);
    private static final Format<Boolean> BOOLEAN = format(Output::writeBoolean, Input::readBoolean);
    private static final Format<String> STRING = format(Output::writeString, Input::readString);
    private static final Format<byte[]> BYTES = sized(bytes -> bytes.length, Output::writeBytes, Input::readBytes);
    private static final Format<int[]> INDICES = sized(ints -> ints.length,
        (out, ints) -> out.writeInts(ints, 0, ints.length, true), (in, length) -> in.readInts(length, true));
    private static final Format<double[]> DOUBLES = sized(doubles -> doubles.length,
        (out, doubles) -> out.writeDoubles(doubles, 0, doubles.length), Input::readDoubles);
    private static final Format<SparseVector> SPARSE = of(SparseVector.class).with(INT, "size").with(INDICES, "indices").with(DOUBLES, "values");
    private static final Format<DenseVector> DENSE = of(DenseVector.class).with(INT, "size").with(DOUBLES, "values");
    private static final Format<Vector> VECTOR = format(ManualSerializers::writeVector, ManualSerializers::readVector);
    private static final Format<TreeNode> TREE = of(TreeNode.class).with(LONG, "value")
        .with(array(TreeNode.class, format(ManualSerializers::writeChild, ManualSerializers::readChild)), "children");

    private static final Format<WeightedEdge> EDGE = of(WeightedEdge.class).with(LONG, "target").with(DOUBLE, "weight");
    private static final Fields<OrderRow> ORDER = of(OrderRow.class).with(INT, "order", "customer", "date", "shipPriority");
    private static final Fields<CustomerRow> CUSTOMER = of(CustomerRow.class).with(INT, "customer").with(STRING, "name", "address")
        .with(INT, "nation").with(STRING, "phone").with(LONG, "balance").with(STRING, "segment");
    private static final Fields<SupplierRow> SUPPLIER = of(SupplierRow.class).with(INT, "supplier").with(STRING, "name")
        .with(INT, "nation").with(STRING, "phone").with(LONG, "balance");
    private static final List<Fields<?>> RECORDS = List.of(
        of(WeightedVertex.class).with(LONG, "id").with(array(WeightedEdge.class, EDGE), "edges"),
        of(LabeledPoint.class).with(DOUBLE, "label").with(VECTOR, "features"),
        of(Document.class).with(STRING, "label").with(array(String.class, STRING), "terms").with(VECTOR, "frequencies"),
        of(SortRecord.class).with(BYTES, "key", "value"),
        of(Rating.class).with(INT, "user", "item").with(FLOAT, "rating"),
        of(LineItemRow.class).with(INT, "order", "quantity").with(POSITIVE, "price").with(INT, "discount", "tax")
            .with(STRING, "returnFlag", "lineStatus").with(INT, "shipped", "committed", "received"),
        ORDER,
        CUSTOMER,
        of(PartRow.class).with(INT, "part").with(STRING, "manufacturer"),
        SUPPLIER,
        of(PartSuppRow.class).with(INT, "part", "supplier").with(POSITIVE, "cost"),
        of(PartOffer.class).with(INT, "part").with(POSITIVE, "cost").with(SUPPLIER, "supplier"),
        of(OrderRevenue.class).with(ORDER, "order").with(POSITIVE, "revenue"),
        of(CustomerRevenue.class).with(CUSTOMER, "customer").with(POSITIVE, "revenue"),
        of(KeyedSum.class).with(INT, "key").with(POSITIVE, "sum"));

    private ManualSerializers() {}

    /** The classes whose objects are also written in an array. */
    public static List<Class<?>> records() {
        return RECORDS.stream().<Class<?>>map(each -> each.type).toList();
    }

    static void register(Kryo kryo) {
        Format<Image> image = of(Image.class).with(STRING, "uri", "title").with(INT, "width", "height").with(constant(Image.Size.class), "size");
        Format<Media> media = of(Media.class).with(STRING, "uri", "title").with(INT, "width", "height").with(STRING, "format")
            .with(POSITIVE, "duration", "size").with(INT, "bitrate").with(BOOLEAN, "hasBitrate").with(list(STRING), "persons")
            .with(constant(Media.Player.class), "player").with(STRING, "copyright");
        replace(kryo, MediaContent.class, of(MediaContent.class).with(media, "media").with(list(image), "images"));
        replace(kryo, ListNode.class, format(ManualSerializers::writeList, ManualSerializers::readList));
        RECORDS.forEach(each -> record(kryo, each));
        replace(kryo, TreeNode.class, TREE);
        kryo.getRegistration(GraphNode.class).setSerializer(new Graph());
    }

    /** How values of a type are written and read. */
    private interface Format<T> {
        void write(Output out, T value);

        T read(Input in);
    }

    private static <T> Format<T> format(BiConsumer<Output, T> write, Function<Input, T> read) {
        return new Format<>() {
            @Override
            public void write(Output out, T value) {
                write.accept(out, value);
            }

            @Override
            public T read(Input in) {
                return read.apply(in);
            }
        };
    }

    /** Contents with their number plus 1 in front; 0 is null. */
    private static <T> Format<T> sized(ToIntFunction<T> size, BiConsumer<Output, T> write, BiFunction<Input, Integer, T> read) {
        return format((out, value) -> {
            out.writeVarInt(value == null ? 0 : size.applyAsInt(value) + 1, true);
            if (value != null) {
                write.accept(out, value);
            }
        }, in -> {
            int length = in.readVarInt(true);
            return length == 0 ? null : read.apply(in, length - 1);
        });
    }

    private static <T> Format<List<T>> list(Format<T> each) {
        return sized(List::size, (out, all) -> all.forEach(one -> each.write(out, one)), (in, size) -> {
            List<T> all = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                all.add(each.read(in));
            }
            return all;
        });
    }

    private static <T> Format<T[]> array(Class<T> type, Format<T> each) {
        return sized(all -> all.length, (out, all) -> Arrays.asList(all).forEach(one -> each.write(out, one)), (in, length) -> {
            @SuppressWarnings("unchecked")
            T[] all = (T[]) Array.newInstance(type, length);
            Arrays.setAll(all, i -> each.read(in));
            return all;
        });
    }

    private static <T extends Enum<T>> Format<T> constant(Class<T> type) {
        return sized(Enum::ordinal, (out, value) -> { }, (in, ordinal) -> type.getEnumConstants()[ordinal]);
    }

    private static <T> Fields<T> of(Class<T> type) {
        return new Fields<>(type);
    }

    /** The fields of a class, which has a constructor without parameters. */
    private static final class Fields<T> implements Format<T> {
        private final Class<T> type;
        private final Map<Field, Format<Object>> formats = new LinkedHashMap<>();

        Fields(Class<T> type) {
            this.type = type;
        }

        @SuppressWarnings("unchecked")
        Fields<T> with(Format<?> format, String... names) {
            for (String name : names) {
                formats.put(unchecked(() -> type.getField(name)), (Format<Object>) format);
            }
            return this;
        }

        @Override
        public void write(Output out, T object) {
            formats.forEach((field, format) -> format.write(out, unchecked(() -> field.get(object))));
        }

        @Override
        public T read(Input in) {
            T object = unchecked(() -> type.getConstructor().newInstance());
            formats.forEach((field, format) -> {
                Object value = format.read(in);
                unchecked(() -> {
                    field.set(object, value);
                    return null;
                });
            });
            return object;
        }

        private static <V> V unchecked(Callable<V> reflection) {
            try {
                return reflection.call();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        }
    }

    private static <T> void replace(Kryo kryo, Class<T> type, Format<T> format) {
        kryo.getRegistration(type).setSerializer(new Serializer<T>() {
            @Override
            public void write(Kryo its, Output out, T object) {
                format.write(out, object);
            }

            @Override
            public T read(Kryo its, Input in, Class<? extends T> actual) {
                return format.read(in);
            }
        });
    }

    /** Registers serializers for a class and for its array class. */
    @SuppressWarnings("unchecked")
    private static <T> void record(Kryo kryo, Fields<T> fields) {
        replace(kryo, fields.type, fields);
        replace(kryo, (Class<T[]>) fields.type.arrayType(), array(fields.type, fields));
    }

    /** 0 for null, 1 for a dense and 2 for a sparse vector. */
    private static void writeVector(Output out, Vector vector) {
        out.writeByte(vector == null ? 0 : vector instanceof SparseVector ? 2 : 1);
        if (vector instanceof SparseVector sparse) {
            SPARSE.write(out, sparse);
        } else if (vector != null) {
            DENSE.write(out, (DenseVector) vector);
        }
    }

    private static Vector readVector(Input in) {
        int kind = in.readByte();
        return kind == 0 ? null : kind == 1 ? DENSE.read(in) : SPARSE.read(in);
    }

    private static void writeChild(Output out, TreeNode child) {
        out.writeBoolean(child != null);
        if (child != null) {
            TREE.write(out, child);
        }
    }

    private static TreeNode readChild(Input in) {
        return in.readBoolean() ? TREE.read(in) : null;
    }

    private static void writeList(Output out, ListNode first) {
        for (ListNode node = first; node != null; node = node.next) {
            out.writeVarLong(node.value, false);
            out.writeBoolean(node.next != null);
        }
    }

    private static ListNode readList(Input in) {
        ListNode first = new ListNode();
        ListNode node = first;
        node.value = in.readVarLong(false);
        while (in.readBoolean()) {
            node.next = new ListNode();
            node = node.next;
            node.value = in.readVarLong(false);
        }
        return first;
    }

    /** Nodes have reference ids, which Kryo gives and looks up. */
    private static final class Graph extends Serializer<GraphNode> {
        private Format<GraphNode[]> edges(Kryo kryo) {
            return array(GraphNode.class, format((out, node) -> kryo.writeObjectOrNull(out, node, this),
                in -> kryo.readObjectOrNull(in, GraphNode.class, this)));
        }

        @Override
        public void write(Kryo kryo, Output out, GraphNode node) {
            LONG.write(out, node.value);
            edges(kryo).write(out, node.edges);
        }

        @Override
        public GraphNode read(Kryo kryo, Input in, Class<? extends GraphNode> type) {
            GraphNode node = new GraphNode();
            kryo.reference(node);
            node.value = LONG.read(in);
            node.edges = edges(kryo).read(in);
            return node;
        }
    }
}
