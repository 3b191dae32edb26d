package heapwire.heap;

import java.io.IOException;
import java.io.InvalidClassException;
import java.io.InvalidObjectException;
import java.util.Arrays;
import java.util.BitSet;

/** The objects of a stream while they are built. A reader adds them in the order of their addresses, each with its
  * values set and with the addresses of its references; {@link #link} connects them. A stream of a stranger cannot
  * build what the language forbids: each reference is checked against the type of its field. */
public final class Arrival {
    private static final int NULL = -1;

    private final ClassLoader loader;
    private Object[] objects = new Object[16];
    private HeapClass[] classes = new HeapClass[16];
    private int[] starts = new int[16];
    /** Where the references of an object begin. */
    private int[] first = new int[17];
    private int[] targets = new int[32];
    private int[] places = new int[32];
    private int count;
    private int references;

    /** loader: that of the classes that the stream names as objects. */
    public Arrival(ClassLoader loader) {
        this.loader = loader;
    }

    /** Adds an object. start: its address. */
    public void add(HeapClass type, Object object, int start) {
        if (count == objects.length) {
            objects = Arrays.copyOf(objects, 2 * count);
            classes = Arrays.copyOf(classes, 2 * count);
            starts = Arrays.copyOf(starts, 2 * count);
            first = Arrays.copyOf(first, 2 * count + 1);
        }
        objects[count] = object;
        classes[count] = type;
        starts[count++] = start;
        first[count] = references;
    }

    /** Adds the next reference of the object that was added last: the address of an object, or -1 for null. place: the
      * offset that an error gives. */
    public void reference(int address, int place) {
        if (references == targets.length) {
            targets = Arrays.copyOf(targets, 2 * references);
            places = Arrays.copyOf(places, 2 * references);
        }
        targets[references] = address;
        places[references++] = place;
        first[count] = references;
    }

    /** Returns the object with this address after {@link #link}; null if none begins there. */
    public Object at(int address) {
        int found = number(address);
        return found < 0 ? null : objects[found];
    }

    private int number(int address) {
        return Arrays.binarySearch(starts, 0, count, address);
    }

    /** Told of a reference to an address at which no object begins. Throws. */
    public interface Stray {
        void found(int address, int place) throws IOException;
    }

    /** Finds the targets of all references. Tells of the first that leads to no object. */
    public void check(Stray stray) throws IOException {
        for (int i = 0; i < references; i++) {
            if (targets[i] != NULL) {
                int target = number(targets[i]);
                if (target < 0) {
                    stray.found(targets[i], places[i]);
                }
                targets[i] = target;
            }
        }
    }

    /** Connects the objects after {@link #check}. Constants of enums and classes are this JVM's own afterwards. Throws
      * InvalidClassException for a reference that its field does not allow, InvalidObjectException for an object that
      * cannot be. */
    public void link() throws IOException {
        BitSet texts = new BitSet();
        BitSet others = new BitSet();
        for (int i = 0; i < count; i++) {
            if (Sound.isString(classes[i])) {
                connect(i);
            }
            for (int j = first[i]; j < first[i + 1]; j++) {
                if (targets[j] != NULL) {
                    (Sound.isString(classes[i]) ? texts : others).set(targets[j]);
                }
            }
        }
        if (texts.intersects(others)) {
            throw new InvalidObjectException("the bytes of a String are those of another object, too");
        }
        for (int i = 0; i < count; i++) {
            if (Resolved.isForeign(classes[i])) {
                int name = classes[i].only != null ? NULL : targets[first[i] + Resolved.name(classes[i])];
                objects[i] = classes[i].only != null ? Resolved.only(classes[i])
                        : Resolved.own(objects[i], name == NULL ? null : objects[name], loader);
            }
        }
        for (int i = 0; i < count; i++) {
            if (!Sound.isString(classes[i]) && !Resolved.isForeign(classes[i])) {
                connect(i);
            }
        }
        Maps.settle(objects, classes, count);
    }

    private void connect(int number) throws IOException {
        HeapClass type = classes[number];
        for (int i = first[number]; i < first[number + 1]; i++) {
            Object target = targets[i] == NULL ? null : objects[targets[i]];
            if (!type.reference(objects[number], i - first[number], target)) {
                throw new InvalidClassException(type.type.getName(), type.holder(i - first[number]) + " cannot hold a "
                        + target.getClass().getName() + ", as the reference at " + places[i] + " says");
            }
        }
        String problem = Sound.problem(objects[number]);
        if (problem != null) {
            throw new InvalidObjectException(problem);
        }
    }
}
