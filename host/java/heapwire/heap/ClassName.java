package heapwire.heap;

import java.io.InvalidClassException;
import java.io.Serializable;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Stands for a Class in a stream, since mirrors of classes belong to their JVM. Arrives as the Class again. */
public final class ClassName implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final ClassValue<ClassName> ALL = new ClassValue<>() {
        @Override
        protected ClassName computeValue(Class<?> type) {
            return new ClassName(type.getName());
        }
    };
    private static final Map<String, Class<?>> PRIMITIVES = Stream.<Class<?>>of(boolean.class, byte.class, char.class,
            short.class, int.class, long.class, float.class, double.class, void.class)
            .collect(Collectors.toMap(Class::getName, Function.identity()));

    /** As Class.getName() gives it. */
    private final String name;

    private ClassName(String name) {
        this.name = name;
    }

    /** Returns the one name of a class. Throws InvalidClassException if nobody finds the class by its name. */
    static ClassName of(Class<?> type) throws InvalidClassException {
        if (type.describeConstable().isEmpty()) {
            throw new InvalidClassException(type.getName(), "is hidden, such as that of a lambda");
        }
        return ALL.get(type);
    }

    static Class<?> find(String name, ClassLoader loader) throws ClassNotFoundException {
        Class<?> primitive = PRIMITIVES.get(name);
        return primitive != null ? primitive : Class.forName(name, false, loader);
    }
}
