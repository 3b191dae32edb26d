package heapwire.cereal;

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

/** Registered classes in the order of their ids, which must be the same on both sides (docs/reference/cereal.md). A
  * stream can make objects of these classes and of no others. */
public final class ClassSet {
    private final List<HeapClass> classes = new ArrayList<>();
    private final Map<Class<?>, Integer> ids = new HashMap<>();
    private final CRC32 fingerprint = new CRC32();
    private boolean grows;

    /** Throws InvalidClassException for a class whose objects cannot be sent, such as an interface. */
    public ClassSet(Class<?>... classes) throws InvalidClassException {
        for (Class<?> each : classes) {
            register(each);
        }
    }

    /** Returns an empty set to which writers add the classes that they meet. Whoever reads has to be told of them. */
    public static ClassSet growing() {
        try {
            ClassSet made = new ClassSet();
            made.grows = true;
            return made;
        } catch (InvalidClassException error) {
            throw new AssertionError(error);
        }
    }

    /** Registers a class, unless it is registered already. Returns its id. */
    public int register(Class<?> type) throws InvalidClassException {
        Integer known = ids.get(type);
        if (known != null) {
            return known;
        }
        HeapClass added = HeapClass.of(type);
        byte[] map = added.map();
        byte[] name = type.getName().getBytes(StandardCharsets.UTF_8);
        ByteBuffer text = ByteBuffer.allocate(name.length + 7 + map.length).order(ByteOrder.LITTLE_ENDIAN);
        text.put(name).put((byte) 0).putInt(added.isArray() ? 0 : (int) added.size(0));
        text.put((byte) added.kind).put((byte) added.shift).put(map);
        fingerprint.update(text.array());
        ids.put(type, classes.size());
        classes.add(added);
        return classes.size() - 1;
    }

    public int size() {
        return classes.size();
    }

    /** Returns the number by which two sides know that they have the same classes. */
    public int fingerprint() {
        return (int) fingerprint.getValue();
    }

    /** Returns the class of an id, from 0 on. */
    public Class<?> type(int id) {
        return get(id).type;
    }

    HeapClass get(int id) {
        return classes.get(id);
    }

    int id(HeapClass type) throws InvalidClassException {
        Integer id = ids.get(type.type);
        if (id == null && grows) {
            return register(type.type);
        }
        if (id == null) {
            throw new InvalidClassException(type.type.getName(), "is not registered");
        }
        return id;
    }
}
