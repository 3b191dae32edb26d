import heapwire.cereal.ClassSet;
import heapwire.line.ObjectLine;
import heapwire.line.Transport;
import heapwire.skyway.Registry;
import heapwire.skyway.SkywayInputStream;
import heapwire.skyway.SkywayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jvm.Colour;

/** Check MODE FORMAT NAMES [ARGUMENT]... NAMES: a file of names of classes, which are registered. Files of streams have
  * each behind its length of 4 bytes. */
public final class Check {
    /** A simulation on a busy machine is slow. */
    private static final int PATIENCE_MS = 600_000;
    private static final int TIMEOUT_MS = 5000;

    public static void main(String[] arguments) throws Exception {
        ClassSet classes = new ClassSet();
        Registry registry = new Registry(1);
        for (String name : Files.readAllLines(Path.of(arguments[2]))) {
            classes.register(Class.forName(name));
            registry.register(Class.forName(name));
        }
        Codec codec = arguments[1].equals("cereal") ? new Codec.Cereal(classes) : new Codec.Skyway(registry);
        switch (arguments[0]) {
            case "classes" -> {
                System.out.println(Integer.toUnsignedString(classes.fingerprint()));
                for (int id = 1; id <= registry.size(); id++) {
                    System.out.println(Integer.toUnsignedString(registry.fingerprint(id)));
                }
            }
            case "write" -> write(codec, Path.of(arguments[3]), Integer.parseInt(arguments[4]));
            case "read" -> read(codec, Path.of(arguments[3]), Path.of(arguments[4]));
            case "refused" -> refused(codec, classes);
            case "tables" -> Tables.check();
            case "phases" -> phases(registry, Path.of(arguments[3]));
            case "compare" -> compare(codec, Path.of(arguments[3]), Integer.parseInt(arguments[4]));
            case "line" -> line(codec, arguments[3], Path.of(arguments[4]), Integer.parseInt(arguments[5]));
            case "carry" -> carry(arguments[3], Path.of(arguments[4]), Path.of(arguments[5]), arguments[6]);
            case "tell" -> tell(arguments[3]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Returns the roots of each stream. */
    private static List<List<?>> roots(Codec codec, int count) {
        List<List<?>> all = new ArrayList<>();
        for (Object each : Cases.all(count)) {
            all.add(List.of(each));
        }
        if (codec instanceof Codec.Skyway) {
            List<Object> several = new ArrayList<>(Cases.all(count));
            several.add(null);
            several.add(several.get(0));
            all.add(several);
        }
        return all;
    }

    /** Writes each of the cases, and reads it again. */
    private static void write(Codec codec, Path out, int count) throws IOException {
        List<List<?>> all = roots(codec, count);
        try (DataOutputStream to = new DataOutputStream(Files.newOutputStream(out))) {
            for (List<?> each : all) {
                for (byte[] stream : codec.write(each)) {
                    to.writeInt(stream.length);
                    to.write(stream);
                    List<Object> again = codec.read(stream);
                    // A hash table is built anew on arrival, which its count of changes shows.
                    boolean tables = each.stream().anyMatch(root -> root instanceof HashSet || root instanceof HashMap
                            || root instanceof IdentityHashMap);
                    if (!tables && !Arrays.equals(stream, codec.again(again, stream))) {
                        throw new AssertionError("other bytes for the copy of " + each.get(0).getClass());
                    }
                    new Same().compare(each.toArray(), again.toArray());
                }
            }
        }
        System.out.println("good");
    }

    /** Reads the streams and prints for each whether it is good, or the error. Writes the good ones again. */
    private static void read(Codec codec, Path in, Path out) throws IOException {
        try (DataInputStream from = new DataInputStream(Files.newInputStream(in));
                DataOutputStream to = new DataOutputStream(Files.newOutputStream(out))) {
            while (from.available() > 0) {
                byte[] stream = from.readNBytes(from.readInt());
                try {
                    byte[] again = codec.again(codec.read(stream), stream);
                    to.writeInt(again.length);
                    to.write(again);
                    System.out.println("OK");
                } catch (IOException error) {
                    System.out.println(error.getClass().getSimpleName() + " " + error.getMessage());
                }
            }
        }
    }

    /** Prints why classes and objects are refused that would arrive broken or not at all. */
    private static void refused(Codec codec, ClassSet classes) throws IOException {
        Runnable lambda = () -> {};
        Set<Colour> fixed = Set.of(Colour.RED, Colour.GREEN, Colour.BLUE);
        Map<Colour, Integer> map = Map.of(Colour.RED, 1, Colour.GREEN, 2);
        for (Class<?> each : List.of(Class.class, fixed.getClass(), map.getClass())) {
            try {
                classes.register(each);
                System.out.println("registered " + each);
            } catch (InvalidClassException error) {
                System.out.println(error.getMessage());
            }
        }
        for (Object each : List.of(lambda.getClass(), lambda.getClass().arrayType(), fixed, map, List.of(1),
                Set.of(2))) {
            try {
                codec.write(List.of(new Object[] {each}));
                System.out.println("written " + each);
            } catch (InvalidClassException error) {
                System.out.println(error.getMessage());
            }
        }
    }

    /** Writes two roots with a flush and a refused root between them, then again in the next phase, a buffer each. */
    private static void phases(Registry registry, Path out) throws IOException {
        Object a = Cases.plain();
        Object[] b = {a, new int[] {1}};
        try (SkywayOutputStream to = new SkywayOutputStream(Files.newOutputStream(out), registry, 7)) {
            to.writeObject(a);
            to.flush();
            try {
                to.writeObject(new Object[] {b, new long[] {2}, Thread.currentThread()});
                throw new AssertionError("a thread was sent");
            } catch (InvalidClassException expected) {
                to.writeObject(b);
            }
            to.shuffleStart();
            to.writeObject(a);
            to.end();
            to.writeObject(b);
        }
        try (SkywayInputStream from = new SkywayInputStream(Files.newInputStream(out), registry)) {
            Object[] found = {from.readObject(), from.readObject()};
            new Same().compare(new Object[] {a, b}, found);
            new Same().compare(a, from.readObject());
            new Same().compare(b, from.readObject());
            if (from.phase() != 2 || from.stream() != 2 || from.sender() != 7 || from.available() != 0) {
                throw new AssertionError("another header");
            }
        }
        System.out.println("good");
    }

    /** Compares what has come back of the cases with them. */
    private static void compare(Codec codec, Path in, int count) throws IOException {
        try (DataInputStream from = new DataInputStream(Files.newInputStream(in))) {
            for (List<?> each : roots(codec, count)) {
                new Same().compare(each.toArray(), codec.read(from.readNBytes(from.readInt())).toArray());
            }
            System.out.println(from.available() == 0 ? "good" : "streams are left");
        }
    }

    /** Sends the cases over a line, one by one or, where a buffer holds several roots, together; compares what comes
      * back and stores both streams. */
    private static void line(Codec codec, String where, Path out, int count) throws IOException {
        try (ObjectLine line = new ObjectLine(Transport.open(where), PATIENCE_MS, TIMEOUT_MS);
                DataOutputStream to = new DataOutputStream(Files.newOutputStream(out))) {
            List<List<?>> all = roots(codec, count);
            for (List<?> each : codec instanceof Codec.Skyway ? all.subList(all.size() - 2, all.size()) : all) {
                byte[] stream = codec.write(each).get(0);
                line.give(stream);
                byte[] answer = line.take();
                new Same().compare(each.toArray(), codec.read(answer).toArray());
                for (byte[] one : List.of(stream, answer)) {
                    to.writeInt(one.length);
                    to.write(one);
                }
            }
        }
        System.out.println("good");
    }

    /** Sends the streams over a line, and stores what comes back. Prints how each went. patience: milliseconds. */
    private static void carry(String where, Path in, Path out, String patience) throws IOException {
        try (ObjectLine line = new ObjectLine(Transport.open(where), Integer.parseInt(patience), 300);
                DataInputStream from = new DataInputStream(Files.newInputStream(in));
                DataOutputStream to = new DataOutputStream(Files.newOutputStream(out))) {
            while (from.available() > 0) {
                byte[] answer = {};
                try {
                    line.give(from.readNBytes(from.readInt()));
                    answer = line.take();
                    System.out.println("OK");
                } catch (IOException error) {
                    System.out.println(error.getClass().getSimpleName() + " " + error.getMessage());
                }
                to.writeInt(answer.length);
                to.write(answer);
            }
        }
    }

    /** Ends the program on the machine. Prints the words of its answer. */
    private static void tell(String where) throws IOException {
        try (ObjectLine line = new ObjectLine(Transport.open(where), PATIENCE_MS, TIMEOUT_MS)) {
            line.give(new byte[Long.BYTES]);
            IntBuffer words = ByteBuffer.wrap(line.take()).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer();
            while (words.hasRemaining()) {
                System.out.println(words.get());
            }
        }
    }
}
