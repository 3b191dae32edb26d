package heapwire.classes;

import heapwire.heap.Layout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;

/** A class as Java serialization sees it (Java Object Serialization Specification), like ObjectStreamClass. */
final class SerialClass {
    private static final int SC_WRITE_METHOD = 1;
    private static final int SC_SERIALIZABLE = 2;
    private static final int SC_ENUM = 16;
    /** Classes whose writeObject the codecs implement. */
    private static final Map<String, String> METHODS = Map.of("java.util.ArrayList", "HW_METHOD_LIST",
            "java.util.HashMap", "HW_METHOD_MAP");

    private SerialClass() {}

    static String kind(Klass klass) {
        if (klass.isArray()) {
            return klass.holdsReferences() ? "HW_SERIAL_REFERENCES" : "HW_SERIAL_PRIMITIVES";
        }
        if (klass.name().equals("java.lang.String")) {
            return "HW_SERIAL_STRING";
        }
        if (enumClass(klass) != null) {
            return "HW_SERIAL_ENUM";
        }
        boolean whole = klass.serializable() && !klass.isAbstract()
                && levels(klass).stream().noneMatch(SerialClass::needsJvm);
        return whole ? "HW_SERIAL_OBJECT" : "HW_SERIAL_NONE";
    }

    /** Returns the enum to which constants of this class belong, or null. */
    static Klass enumClass(Klass klass) {
        return klass == null || klass.isEnum() ? klass : enumClass(klass.parent());
    }

    /** Returns the Serializable classes from the topmost down to this one. */
    static List<Klass> levels(Klass klass) {
        List<Klass> levels = new ArrayList<>();
        for (Klass each = klass; each != null && each.serializable(); each = each.parent()) {
            levels.add(0, each);
        }
        return klass.isArray() ? List.of(klass) : levels;
    }

    static String method(Klass klass) {
        return METHODS.getOrDefault(klass.name(), "HW_METHOD_NONE");
    }

    /** Returns whether the class changes its serialized form with methods or fields of its own. */
    private static boolean needsJvm(Klass klass) {
        ClassFile file = klass.file();
        boolean fields = file.fields().stream()
                .anyMatch(field -> field.name().equals("serialPersistentFields") && field.isStatic());
        boolean replaces = has(file, "writeReplace", "()Ljava/lang/Object;")
                || has(file, "readResolve", "()Ljava/lang/Object;");
        boolean own = writes(klass) || has(file, "readObject", "(Ljava/io/ObjectInputStream;)V");
        return klass.externalizable() || fields || replaces || own && !METHODS.containsKey(klass.name())
                || overridesMap(klass);
    }

    /** Returns whether a subclass of HashMap overrides one of its methods. HashMap.readObject adds entries by methods
      * that a subclass may override, as LinkedHashMap does to keep their order. */
    private static boolean overridesMap(Klass klass) {
        for (Klass above = klass.parent(); above != null; above = above.parent()) {
            ClassFile file = above.file();
            if (method(above).equals("HW_METHOD_MAP") && klass.file().methods().stream()
                    .anyMatch(method -> !method.name().startsWith("<")
                            && has(file, method.name(), method.descriptor()))) {
                return true;
            }
        }
        return false;
    }

    private static boolean writes(Klass klass) {
        return has(klass.file(), "writeObject", "(Ljava/io/ObjectOutputStream;)V");
    }

    private static boolean has(ClassFile file, String name, String descriptor) {
        return file.methods().stream()
                .anyMatch(method -> method.name().equals(name) && method.descriptor().equals(descriptor));
    }

    /** Returns the fields in the order of the wire: primitive ones, then references, both by name. */
    static List<Layout.Slot<ClassFile.Field>> fields(Klass klass, boolean references) {
        if (klass.isArray() || enumClass(klass) != null || klass.name().equals("java.lang.Enum")
                || klass.name().equals("java.lang.String")) {
            return List.of();
        }
        return klass.layout().declared().stream()
                .filter(slot -> (slot.field().access() & Opcodes.ACC_TRANSIENT) == 0
                        && slot.field().isReference() == references)
                .sorted(Comparator.comparing(slot -> slot.field().name())).toList();
    }

    static int flags(Klass klass) {
        boolean isEnum = enumClass(klass) != null || klass.name().equals("java.lang.Enum");
        return SC_SERIALIZABLE | (isEnum ? SC_ENUM : !klass.isArray() && writes(klass) ? SC_WRITE_METHOD : 0);
    }
}
