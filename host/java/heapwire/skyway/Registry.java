package heapwire.skyway;

import heapwire.Numbers.Skyway;
import heapwire.heap.HeapClass;
import java.io.InvalidClassException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** Numbers of classes (docs/reference/skyway.md, "Classes"). Machines of one registry have the same classes in the same
  * order. A stream can make objects of these classes and of no others. */
public final class Registry {
    private final int number;
    private final List<HeapClass> classes = new ArrayList<>();
    private final Map<Class<?>, Integer> ids = new HashMap<>();
    private boolean grows;

    /** number: the driver's, not 0. Throws InvalidClassException for a class whose objects cannot be sent. */
    public Registry(int number, Class<?>... classes) throws InvalidClassException {
        if (number == 0) {
            throw new IllegalArgumentException("0 is no registry's number");
        }
        this.number = number;
        for (Class<?> each : classes) {
            register(each);
        }
    }

    /** Returns an empty registry to which writers add the classes that they meet. Whoever reads has to be told of
      * them. */
    public static Registry growing(int number) {
        try {
            Registry made = new Registry(number);
            made.grows = true;
            return made;
        } catch (InvalidClassException error) {
            throw new AssertionError(error);
        }
    }

    /** Gives a class the next type id, unless it has one. Returns its id, from 1 on. */
    public int register(Class<?> type) throws InvalidClassException {
        Integer known = ids.get(type);
        if (known != null) {
            return known;
        }
        HeapClass added = HeapClass.of(type);
        if (type.getName().getBytes(StandardCharsets.UTF_8).length > Skyway.NAME_MAX) {
            throw new InvalidClassException(type.getName(), "UNREGISTERED_CLASS: its name is too long");
        }
        if (classes.size() == Skyway.CLASSES) {
            throw new InvalidClassException(type.getName(), "REGISTRY_FULL: it is one class too many");
        }
        classes.add(added);
        ids.put(type, classes.size());
        return classes.size();
    }

    public int number() {
        return number;
    }

    public int size() {
        return classes.size();
    }

    /** Returns the number by which two versions of a class differ. */
    public int fingerprint(int id) {
        HeapClass type = get(id);
        CRC32 crc = new CRC32();
        byte[] map = type.map();
        crc.update(type.kind);
        crc.update(type.shift);
        word(crc, type.isArray() ? 0 : (int) type.body(0));
        crc.update(map);
        for (HeapClass.Place each : type.fields) {
            text(crc, each.name());
            text(crc, each.type().descriptorString());
            word(crc, each.offset());
        }
        return (int) crc.getValue();
    }

    private static void word(CRC32 crc, int word) {
        crc.update(ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(word).array());
    }

    private static void text(CRC32 crc, String text) {
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        crc.update(0);
    }

    /** Returns the class of an id, from 1 on. */
    public Class<?> type(int id) {
        return get(id).type;
    }

    /** Returns the class of an id; null if none has it. */
    HeapClass get(int id) {
        return id < 1 || id > classes.size() ? null : classes.get(id - 1);
    }

    int id(HeapClass type) throws InvalidClassException {
        Integer id = ids.get(type.type);
        if (id == null && grows) {
            return register(type.type);
        }
        if (id == null) {
            throw new InvalidClassException(type.type.getName(), "UNREGISTERED_CLASS: is not registered");
        }
        return id;
    }
}
