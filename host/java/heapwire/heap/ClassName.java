package heapwire.heap;

import java.io.Serializable;
import java.util.List;

/** Stands for a Class in a stream, since mirrors of classes belong to their JVM. Arrives as the Class again. */
public final class ClassName implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final ClassValue<ClassName> ALL = new ClassValue<>() {
        @Override
        protected ClassName computeValue(Class<?> type) {
            return new ClassName(type.getName());
        }
    };
    private static final List<Class<?>> PRIMITIVES = List.of(boolean.class, byte.class, char.class, short.class,
            int.class, long.class, float.class, double.class, void.class);

    /** As Class.getName() gives it. */
    private final String name;

    private ClassName(String name) {
        this.name = name;
    }

    /** Returns the one name of a class. */
    static ClassName of(Class<?> type) {
        return ALL.get(type);
    }

    static Class<?> find(String name, ClassLoader loader) throws ClassNotFoundException {
        for (Class<?> each : PRIMITIVES) {
            if (each.getName().equals(name)) {
                return each;
            }
        }
        return Class.forName(name, false, loader);
    }
}
