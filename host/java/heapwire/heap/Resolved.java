package heapwire.heap;

import java.io.InvalidClassException;
import java.io.InvalidObjectException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Objects of which a JVM has its own: constants of enums, Scala's {@code object}s, and classes. A stream has a copy,
  * which gives way to them. */
final class Resolved {
    private static final int LONGEST = 100;
    private static final long ORDINAL = Memory.offset(Enum.class, "ordinal");

    private Resolved() {}

    static boolean isForeign(HeapClass type) {
        return type.only != null || type.type == ClassName.class
                || Enum.class.isAssignableFrom(type.type) && type.type != Enum.class;
    }

    /** Returns the field that holds the only object of a class, if it is one of Scala's {@code object}s; else null. */
    static Field only(Class<?> type) {
        try {
            Field field = type.getName().endsWith("$") ? type.getDeclaredField("MODULE$") : null;
            boolean found = field != null && Modifier.isStatic(field.getModifiers()) && field.getType() == type;
            return found ? field : null;
        } catch (NoSuchFieldException error) {
            return null;
        }
    }

    /** Returns that object. */
    static Object only(HeapClass type) throws InvalidClassException {
        try {
            type.only.setAccessible(true);
            return type.only.get(null);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError error) {
            String name = type.type.getName();
            throw (InvalidClassException) new InvalidClassException(name, "has no object").initCause(error);
        }
    }

    /** Returns which reference of such an object is its name. */
    static int name(HeapClass type) {
        return type.reference("name");
    }

    /** Returns a name of a stream, for an error's text: one short line, whatever the stream has. */
    private static String shown(String text) {
        String start = String.valueOf(text).substring(0, Math.min(String.valueOf(text).length(), LONGEST));
        return start.replaceAll("[^ -~]", "?");
    }

    /** Returns this JVM's object for a copy. A constant without a name is found by its ordinal. */
    static Object own(Object copy, Object name, ClassLoader loader)
            throws InvalidObjectException, InvalidClassException {
        if (name != null && !(name instanceof String)) {
            throw new InvalidObjectException("a name that is no String");
        }
        String text = (String) name;
        if (copy instanceof ClassName) {
            try {
                return ClassName.find(String.valueOf(text), loader);
            } catch (ClassNotFoundException | LinkageError error) {
                throw (InvalidClassException) new InvalidClassException(shown(text), "is no class here")
                        .initCause(error);
            }
        }
        Class<?> type = copy.getClass();
        while (type.getSuperclass() != Enum.class) {
            type = type.getSuperclass();
        }
        int ordinal = Memory.UNSAFE.getInt(copy, ORDINAL);
        for (Object each : type.getEnumConstants()) {
            Enum<?> constant = (Enum<?>) each;
            if (text == null ? constant.ordinal() == ordinal : constant.name().equals(text)) {
                return constant;
            }
        }
        throw new InvalidObjectException("no constant " + shown(text) + " (" + ordinal + ") of " + type.getName());
    }
}
