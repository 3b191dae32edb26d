package heapwire.heap;

import java.io.InvalidClassException;
import java.util.Arrays;

/** The objects of a stream in the order in which they were reached, with a number for each: a table by identity, which
  * takes the place of the word that the machine's objects have for this. A Class is a {@link ClassName} here. */
public final class Numbering {
    private Object[] objects = new Object[16];
    private HeapClass[] classes = new HeapClass[16];
    private int[] table = new int[64];
    private int count;

    /** Forgets all objects. */
    public void clear() {
        if (table.length > 64) {
            table = new int[64];
        }
        Arrays.fill(table, 0);
        Arrays.fill(objects, 0, count, null);
        count = 0;
    }

    /** Forgets all objects but the first ones. */
    public void shorten(int left) {
        Arrays.fill(objects, left, count, null);
        count = left;
        Arrays.fill(table, 0);
        index();
    }

    private void index() {
        for (int i = 0; i < count; i++) {
            table[slot(objects[i])] = i + 1;
        }
    }

    public int count() {
        return count;
    }

    public Object object(int number) {
        return objects[number];
    }

    public HeapClass heapClass(int number) {
        return classes[number];
    }

    /** Returns an object's number. If it is {@link #count()} as it was before the call, the object is new. */
    public int number(Object object) throws InvalidClassException {
        Object sent = object instanceof Class<?> type ? ClassName.of(type) : object;
        int at = slot(sent);
        if (table[at] != 0) {
            return table[at] - 1;
        }
        if (count == objects.length) {
            objects = Arrays.copyOf(objects, 2 * count);
            classes = Arrays.copyOf(classes, 2 * count);
        }
        classes[count] = HeapClass.of(sent.getClass());
        objects[count++] = sent;
        table[at] = count;
        if (2 * count > table.length) {
            table = new int[2 * table.length];
            index();
        }
        return count - 1;
    }

    private int slot(Object object) {
        int mask = table.length - 1;
        int at = System.identityHashCode(object) * 0x9e3779b1 >>> 7 & mask;
        while (table[at] != 0 && objects[table[at] - 1] != object) {
            at = at + 1 & mask;
        }
        return at;
    }
}
