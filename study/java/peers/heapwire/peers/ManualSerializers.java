package heapwire.peers;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import data.media.Image;
import data.media.Media;
import data.media.MediaContent;
import heapwire.bench.DenseVector;
import heapwire.bench.Document;
import heapwire.bench.GraphNode;
import heapwire.bench.LabeledPoint;
import heapwire.bench.ListNode;
import heapwire.bench.Rating;
import heapwire.bench.SortRecord;
import heapwire.bench.SparseVector;
import heapwire.bench.TreeNode;
import heapwire.bench.Vector;
import heapwire.bench.WeightedEdge;
import heapwire.bench.WeightedVertex;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Hand-written serializers. study/firmware/peers/kryo/manual.h has the same in C. */
final class ManualSerializers {
    private ManualSerializers() {}

    static void register(Kryo kryo) {
        replace(kryo, MediaContent.class, ManualSerializers::writeContent, ManualSerializers::readContent);
        replace(kryo, ListNode.class, ManualSerializers::writeList, ManualSerializers::readList);
        records(kryo, WeightedVertex.class, WeightedVertex[]::new, ManualSerializers::writeVertex, ManualSerializers::readVertex);
        records(kryo, LabeledPoint.class, LabeledPoint[]::new, ManualSerializers::writePoint, ManualSerializers::readPoint);
        records(kryo, Document.class, Document[]::new, ManualSerializers::writeDocument, ManualSerializers::readDocument);
        records(kryo, SortRecord.class, SortRecord[]::new, ManualSerializers::writeRecord, ManualSerializers::readRecord);
        records(kryo, Rating.class, Rating[]::new, ManualSerializers::writeRating, ManualSerializers::readRating);
        QuerySerializers.register(kryo);
        kryo.getRegistration(TreeNode.class).setSerializer(new Tree());
        kryo.getRegistration(GraphNode.class).setSerializer(new Graph());
    }

    private static <T> void replace(Kryo kryo, Class<T> type, BiConsumer<Output, T> write, Function<Input, T> read) {
        kryo.getRegistration(type).setSerializer(new Serializer<T>() {
            @Override
            public void write(Kryo its, Output out, T object) {
                write.accept(out, object);
            }

            @Override
            public T read(Kryo its, Input in, Class<? extends T> actual) {
                return read.apply(in);
            }
        });
    }

    /** Registers serializers for a class and for its array class. */
    static <T> void records(Kryo kryo, Class<T> type, IntFunction<T[]> array, BiConsumer<Output, T> write, Function<Input, T> read) {
        replace(kryo, type, write, read);
        @SuppressWarnings("unchecked")
        Class<T[]> arrays = (Class<T[]>) array.apply(0).getClass();
        replace(kryo, arrays, (out, all) -> writeEach(out, all, write), in -> readEach(in, array, read));
    }

    private static <T> void writeEach(Output out, T[] all, BiConsumer<Output, T> write) {
        out.writeVarInt(all == null ? 0 : all.length + 1, true);
        for (int i = 0; all != null && i < all.length; i++) {
            write.accept(out, all[i]);
        }
    }

    private static <T> T[] readEach(Input in, IntFunction<T[]> array, Function<Input, T> read) {
        int length = in.readVarInt(true);
        if (length == 0) {
            return null;
        }
        T[] all = array.apply(length - 1);
        for (int i = 0; i < all.length; i++) {
            all[i] = read.apply(in);
        }
        return all;
    }

    private static <T> void writeAll(Output out, List<T> all, BiConsumer<Output, T> write) {
        out.writeVarInt(all == null ? 0 : all.size() + 1, true);
        if (all != null) {
            all.forEach(each -> write.accept(out, each));
        }
    }

    private static <T> List<T> readAll(Input in, Function<Input, T> read) {
        int length = in.readVarInt(true);
        if (length == 0) {
            return null;
        }
        List<T> all = new ArrayList<>(length - 1);
        for (int i = 1; i < length; i++) {
            all.add(read.apply(in));
        }
        return all;
    }

    private static void writeEnum(Output out, Enum<?> constant) {
        out.writeVarInt(constant == null ? 0 : constant.ordinal() + 1, true);
    }

    private static <T> T readEnum(Input in, T[] constants) {
        int number = in.readVarInt(true);
        return number == 0 ? null : constants[number - 1];
    }

    private static void writeContent(Output out, MediaContent content) {
        Media media = content.media;
        out.writeString(media.uri);
        out.writeString(media.title);
        out.writeVarInt(media.width, true);
        out.writeVarInt(media.height, true);
        out.writeString(media.format);
        out.writeVarLong(media.duration, true);
        out.writeVarLong(media.size, true);
        out.writeVarInt(media.bitrate, true);
        out.writeBoolean(media.hasBitrate);
        writeAll(out, media.persons, Output::writeString);
        writeEnum(out, media.player);
        out.writeString(media.copyright);
        writeAll(out, content.images, ManualSerializers::writeImage);
    }

    private static MediaContent readContent(Input in) {
        Media media = new Media();
        media.uri = in.readString();
        media.title = in.readString();
        media.width = in.readVarInt(true);
        media.height = in.readVarInt(true);
        media.format = in.readString();
        media.duration = in.readVarLong(true);
        media.size = in.readVarLong(true);
        media.bitrate = in.readVarInt(true);
        media.hasBitrate = in.readBoolean();
        media.persons = readAll(in, Input::readString);
        media.player = readEnum(in, Media.Player.values());
        media.copyright = in.readString();
        MediaContent content = new MediaContent();
        content.media = media;
        content.images = readAll(in, ManualSerializers::readImage);
        return content;
    }

    private static void writeImage(Output out, Image image) {
        out.writeString(image.uri);
        out.writeString(image.title);
        out.writeVarInt(image.width, true);
        out.writeVarInt(image.height, true);
        writeEnum(out, image.size);
    }

    private static Image readImage(Input in) {
        Image image = new Image();
        image.uri = in.readString();
        image.title = in.readString();
        image.width = in.readVarInt(true);
        image.height = in.readVarInt(true);
        image.size = readEnum(in, Image.Size.values());
        return image;
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

    private static void writeVertex(Output out, WeightedVertex vertex) {
        out.writeVarLong(vertex.id, false);
        writeEach(out, vertex.edges, (to, edge) -> {
            to.writeVarLong(edge.target, false);
            to.writeDouble(edge.weight);
        });
    }

    private static WeightedVertex readVertex(Input in) {
        WeightedVertex vertex = new WeightedVertex();
        vertex.id = in.readVarLong(false);
        vertex.edges = readEach(in, WeightedEdge[]::new, from -> {
            WeightedEdge edge = new WeightedEdge();
            edge.target = from.readVarLong(false);
            edge.weight = from.readDouble();
            return edge;
        });
        return vertex;
    }

    private static void writeDoubles(Output out, double[] values) {
        out.writeVarInt(values == null ? 0 : values.length + 1, true);
        if (values != null) {
            out.writeDoubles(values, 0, values.length);
        }
    }

    private static double[] readDoubles(Input in) {
        int length = in.readVarInt(true);
        return length == 0 ? null : in.readDoubles(length - 1);
    }

    private static void writeVector(Output out, Vector vector) {
        if (vector == null) {
            out.writeByte(0);
        } else if (vector instanceof SparseVector sparse) {
            out.writeByte(2);
            out.writeVarInt(sparse.size, true);
            out.writeVarInt(sparse.indices == null ? 0 : sparse.indices.length + 1, true);
            for (int i = 0; sparse.indices != null && i < sparse.indices.length; i++) {
                out.writeVarInt(sparse.indices[i], true);
            }
            writeDoubles(out, sparse.values);
        } else {
            out.writeByte(1);
            out.writeVarInt(vector.size, true);
            writeDoubles(out, ((DenseVector) vector).values);
        }
    }

    private static Vector readVector(Input in) {
        int kind = in.readByte();
        if (kind == 0) {
            return null;
        }
        if (kind == 1) {
            DenseVector dense = new DenseVector();
            dense.size = in.readVarInt(true);
            dense.values = readDoubles(in);
            return dense;
        }
        SparseVector sparse = new SparseVector();
        sparse.size = in.readVarInt(true);
        int length = in.readVarInt(true);
        sparse.indices = length == 0 ? null : new int[length - 1];
        for (int i = 0; i < length - 1; i++) {
            sparse.indices[i] = in.readVarInt(true);
        }
        sparse.values = readDoubles(in);
        return sparse;
    }

    private static void writePoint(Output out, LabeledPoint point) {
        out.writeDouble(point.label);
        writeVector(out, point.features);
    }

    private static LabeledPoint readPoint(Input in) {
        LabeledPoint point = new LabeledPoint();
        point.label = in.readDouble();
        point.features = readVector(in);
        return point;
    }

    private static void writeDocument(Output out, Document document) {
        out.writeString(document.label);
        writeEach(out, document.terms, Output::writeString);
        writeVector(out, document.frequencies);
    }

    private static Document readDocument(Input in) {
        Document document = new Document();
        document.label = in.readString();
        document.terms = readEach(in, String[]::new, Input::readString);
        document.frequencies = (SparseVector) readVector(in);
        return document;
    }

    private static void writeBytes(Output out, byte[] bytes) {
        out.writeVarInt(bytes == null ? 0 : bytes.length + 1, true);
        if (bytes != null) {
            out.writeBytes(bytes);
        }
    }

    private static byte[] readBytes(Input in) {
        int length = in.readVarInt(true);
        return length == 0 ? null : in.readBytes(length - 1);
    }

    private static void writeRecord(Output out, SortRecord sort) {
        writeBytes(out, sort.key);
        writeBytes(out, sort.value);
    }

    private static SortRecord readRecord(Input in) {
        SortRecord sort = new SortRecord();
        sort.key = readBytes(in);
        sort.value = readBytes(in);
        return sort;
    }

    private static void writeRating(Output out, Rating rating) {
        out.writeVarInt(rating.user, true);
        out.writeVarInt(rating.item, true);
        out.writeFloat(rating.rating);
    }

    private static Rating readRating(Input in) {
        Rating rating = new Rating();
        rating.user = in.readVarInt(true);
        rating.item = in.readVarInt(true);
        rating.rating = in.readFloat();
        return rating;
    }

    private static final class Tree extends Serializer<TreeNode> {
        @Override
        public void write(Kryo kryo, Output out, TreeNode node) {
            out.writeVarLong(node.value, false);
            out.writeVarInt(node.children == null ? 0 : node.children.length + 1, true);
            for (int i = 0; node.children != null && i < node.children.length; i++) {
                out.writeBoolean(node.children[i] != null);
                if (node.children[i] != null) {
                    write(kryo, out, node.children[i]);
                }
            }
        }

        @Override
        public TreeNode read(Kryo kryo, Input in, Class<? extends TreeNode> type) {
            TreeNode node = new TreeNode();
            node.value = in.readVarLong(false);
            int length = in.readVarInt(true);
            node.children = length == 0 ? null : new TreeNode[length - 1];
            for (int i = 0; i < length - 1; i++) {
                node.children[i] = in.readBoolean() ? read(kryo, in, type) : null;
            }
            return node;
        }
    }

    private static final class Graph extends Serializer<GraphNode> {
        @Override
        public void write(Kryo kryo, Output out, GraphNode node) {
            out.writeVarLong(node.value, false);
            out.writeVarInt(node.edges == null ? 0 : node.edges.length + 1, true);
            for (int i = 0; node.edges != null && i < node.edges.length; i++) {
                kryo.writeObjectOrNull(out, node.edges[i], this);
            }
        }

        @Override
        public GraphNode read(Kryo kryo, Input in, Class<? extends GraphNode> type) {
            GraphNode node = new GraphNode();
            kryo.reference(node);
            node.value = in.readVarLong(false);
            int length = in.readVarInt(true);
            node.edges = length == 0 ? null : new GraphNode[length - 1];
            for (int i = 0; i < length - 1; i++) {
                node.edges[i] = kryo.readObjectOrNull(in, GraphNode.class, this);
            }
            return node;
        }
    }
}
