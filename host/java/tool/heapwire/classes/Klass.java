package heapwire.classes;

import heapwire.heap.Layout;
import java.util.List;
import java.util.stream.IntStream;
import org.objectweb.asm.Opcodes;

/** An emitted class. {@code file} and {@code layout} are null for arrays, {@code parent} for java.lang.Object. {@code
  * slots}: number of 4-byte slots behind the header. */
record Klass(int index, String name, String cName, ClassFile file, Klass parent, Layout<ClassFile.Field> layout,
        boolean metadata, int objectSize, int slots, long serialVersion, boolean serializable, boolean externalizable) {
    /** Slots of the longest reference bitmap that a klass holds inline. */
    private static final int INLINE_SLOTS = 30;

    boolean isArray() {
        return file == null;
    }

    /** Returns the descriptor of an array's elements. */
    String element() {
        return name.substring(1).replace('.', '/');
    }

    boolean holdsReferences() {
        return isArray() && element().length() > 1;
    }

    /** Returns log2 of the bytes of an array's element. */
    int elementShift() {
        return Integer.numberOfTrailingZeros(new ClassFile.Field("", element(), 0, null, null).size());
    }

    boolean isEnum() {
        return file != null && "java.lang.Enum".equals(file.superName()) && file.is(Opcodes.ACC_ENUM);
    }

    boolean isAbstract() {
        return file != null && file.is(Opcodes.ACC_ABSTRACT);
    }

    List<String> constants() {
        return isEnum() ? file.fields().stream().filter(field -> (field.access() & Opcodes.ACC_ENUM) != 0)
                .map(ClassFile.Field::name).toList() : List.of();
    }

    /** Returns the reference bitmap, one word for every 32 slots. Bit i of word w is set if the 4-byte slot 32 w + i
      * behind the header is a reference. */
    int[] bitmap() {
        int[] words = new int[(slots + 31) / 32];
        int header = objectSize - 4 * slots;
        for (Layout.Slot<ClassFile.Field> slot : layout.slots()) {
            if (slot.field().isReference()) {
                int bit = (slot.offset() - header) / 4;
                words[bit / 32] |= 1 << bit % 32;
            }
        }
        return words;
    }

    /** Returns whether the reference bitmap does not fit into the klass. */
    boolean hasLongBitmap() {
        return !isArray() && slots > INLINE_SLOTS && IntStream.of(bitmap()).anyMatch(word -> word != 0);
    }
}
