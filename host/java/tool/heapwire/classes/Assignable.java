package heapwire.classes;

import java.util.Set;

/** Decides which classes' objects a variable of a type may hold: {@code Class.isAssignableFrom}, by descriptors. */
final class Assignable {
    private static final Set<String> ABOVE_ARRAYS = Set.of("Ljava/lang/Object;", "Ljava/lang/Cloneable;",
            "Ljava/io/Serializable;");

    private final ClassPath path;

    Assignable(ClassPath path) {
        this.path = path;
    }

    boolean from(String type, Klass klass) {
        return !klass.isAbstract() && from(type, descriptor(klass.name()));
    }

    private boolean from(String type, String value) {
        if (type.equals(value) || type.equals("Ljava/lang/Object;") && value.length() > 1) {
            return true;
        }
        if (value.startsWith("[")) {
            return type.startsWith("[") ? from(type.substring(1), value.substring(1)) : ABOVE_ARRAYS.contains(type);
        }
        return value.startsWith("L") && type.startsWith("L") && path.isSubtype(name(value), name(type));
    }

    /** Returns the descriptor of the class with a name of {@link Class#getName}. */
    static String descriptor(String name) {
        return Names.isArray(name) ? name.replace('.', '/') : "L" + name.replace('.', '/') + ";";
    }

    /** Returns the name, as of {@link Class#getName}, of the class with a descriptor. */
    static String name(String descriptor) {
        String dotted = descriptor.replace('/', '.');
        return descriptor.startsWith("L") ? dotted.substring(1, dotted.length() - 1) : dotted;
    }
}
