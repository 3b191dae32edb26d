package heapwire.classes;

import heapwire.heap.Layout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.objectweb.asm.Opcodes;

/** A class as Kryo 5 sees it with its default settings: its serializer, its fields and its registration. */
final class KryoClass {
    /** Classes that Kryo registers itself. Boxes share the registrations of their primitive types. */
    private static final List<String> BUILT_IN = List.of("java.lang.Integer", "java.lang.String", "java.lang.Float",
            "java.lang.Boolean",
            "java.lang.Byte", "java.lang.Character", "java.lang.Short", "java.lang.Long", "java.lang.Double");
    static final int NONE = 0xffff;

    private KryoClass() {}

    static String kind(Klass klass, ClassPath path) {
        String kind = SerialClass.kind(klass).replace("HW_SERIAL_", "HW_KRYO_");
        if (!kind.equals("HW_KRYO_OBJECT")) {
            return kind;
        }
        if (BUILT_IN.contains(klass.name())) {
            return "HW_KRYO_BOX";
        }
        if (!SerialClass.method(klass).equals("HW_METHOD_NONE")) {
            return SerialClass.method(klass).replace("METHOD", "KRYO");
        }
        // Kryo does not use its field serializer for these classes.
        boolean other = path.isSubtype(klass.name(), "java.util.Collection")
                || path.isSubtype(klass.name(), "java.util.Map")
                || path.isSubtype(klass.name(), "java.lang.Record") || klass.name().startsWith("java.");
        boolean variable = fields(klass).stream().anyMatch(slot -> generics(slot).isVariable());
        return other || variable ? "HW_KRYO_NONE" : "HW_KRYO_FIELDS";
    }

    static Generics generics(Layout.Slot<ClassFile.Field> slot) {
        return Generics.of(slot.field().descriptor(), slot.field().signature());
    }

    /** Returns the fields of the class and its superclasses, by name. Of two fields with one name the subclass's comes
      * first. */
    static List<Layout.Slot<ClassFile.Field>> fields(Klass klass) {
        List<Layout.Slot<ClassFile.Field>> all = new ArrayList<>();
        for (Klass each = klass; each != null && !each.isArray(); each = each.parent()) {
            each.layout().declared().stream()
                    .filter(slot -> (slot.field().access() & (Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC)) == 0)
                    .forEach(all::add);
        }
        all.sort(Comparator.comparing(slot -> slot.field().name()));
        return all;
    }

    /** Kryo.isFinal: returns whether a variable of the type holds objects of one class only. A type that is not on the
      * class path has no objects here, so that the answer does not matter. */
    static boolean isFinal(String descriptor, ClassPath path) {
        String element = descriptor.substring(descriptor.lastIndexOf('[') + 1);
        try {
            return !element.startsWith("L")
                    || (path.find(Assignable.name(element), "type of a field").modifiers() & Opcodes.ACC_FINAL) != 0;
        } catch (ClassError missing) {
            return false;
        }
    }

    /** Returns registration ids by class: first the built-in ones, then the others in the order of the table. */
    static Map<String, Integer> ids(List<Klass> klasses) {
        Map<String, Integer> ids = new LinkedHashMap<>();
        BUILT_IN.forEach(name -> ids.put(name, ids.size()));
        for (Klass klass : klasses) {
            boolean constant = SerialClass.enumClass(klass) != null && SerialClass.enumClass(klass) != klass;
            if (!SerialClass.kind(klass).equals("HW_SERIAL_NONE") && !constant && !ids.containsKey(klass.name())) {
                ids.put(klass.name(), ids.size());
            }
        }
        return ids;
    }

    /** Returns a line for each class that a Kryo instance must register: id and name, as of Class.getName. */
    static String registrations(List<Klass> klasses) {
        return ids(klasses).entrySet().stream().filter(entry -> entry.getValue() >= BUILT_IN.size())
                .map(entry -> entry.getValue() + " " + entry.getKey() + "\n").collect(Collectors.joining());
    }
}
