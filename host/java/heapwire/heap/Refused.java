package heapwire.heap;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** Classes whose objects are not sent. */
final class Refused {
    private static final String FIXED = "has a hash table that cannot be built anew; send a HashSet or HashMap of it";
    private static final String MARKED = "has an object of its JVM for nothing; send an ArrayList or HashSet of it";
    private static final Map<String, String> REASONS = new HashMap<>(Layout.UNSUPPORTED);

    static {
        REASONS.put("java.lang.Class", "register heapwire.heap.ClassName, which stands for it");
        REASONS.put("java.util.ImmutableCollections$SetN", FIXED);
        REASONS.put("java.util.ImmutableCollections$MapN", FIXED);
        REASONS.put("java.util.ImmutableCollections$Set12", MARKED);
        REASONS.put("java.util.ImmutableCollections$List12", MARKED);
        REASONS.put("java.util.concurrent.ConcurrentHashMap$ForwardingNode", "is of a table that grows meanwhile");
    }

    private Refused() {}

    /** Returns why; null for a class whose objects can be sent. */
    static String reason(Class<?> type) {
        if (type.isArray()) {
            return null;
        }
        if (type.isInterface() || type.isPrimitive()) {
            return "has no objects";
        }
        if (type.isHidden()) {
            return "is a hidden class, such as that of a lambda, which nobody finds by its name";
        }
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            String reason = REASONS.get(each.getName());
            if (reason != null) {
                return reason;
            }
            if (Stream.concat(Stream.of(each), Stream.of(each.getDeclaredFields())).anyMatch(Refused::isContended)) {
                return "is padded by @Contended";
            }
        }
        return null;
    }

    private static boolean isContended(AnnotatedElement element) {
        for (Annotation each : element.getDeclaredAnnotations()) {
            if (each.annotationType().getName().equals("jdk.internal.vm.annotation.Contended")) {
                return true;
            }
        }
        return false;
    }
}
