import heapwire.cereal.ClassSet;
import heapwire.skyway.Registry;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;

/** Check MODE FORMAT NAMES [ARGUMENT]... NAMES: a file of names of classes, which are registered. Files of streams have
  * each behind its length of 4 bytes. */
public final class Check {
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
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Writes each of the cases, and reads it again. */
    private static void write(Codec codec, Path out, int count) throws IOException {
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
        try (DataOutputStream to = new DataOutputStream(Files.newOutputStream(out))) {
            for (List<?> each : all) {
                for (byte[] stream : codec.write(each)) {
                    to.writeInt(stream.length);
                    to.write(stream);
                    List<Object> again = codec.read(stream);
                    // A set is filled anew on arrival, which its count of changes shows.
                    boolean sets = each.stream().anyMatch(root -> root instanceof HashSet);
                    if (!sets && !Arrays.equals(stream, codec.again(again, stream))) {
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
}
