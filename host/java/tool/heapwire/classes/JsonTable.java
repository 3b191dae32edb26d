package heapwire.classes;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** classes.json: the tables' contents that host programs need. It is an array of classes in the order of their ids.
  * Each has {@code name}, {@code kind} (0 instance, 1 array of values, 2 array of references), {@code shift} (log2 of
  * an element's bytes), {@code size} (bytes, 0 for arrays), {@code metadata}, {@code constants} (of an enum), {@code
  * super} (name of the superclass; null for java.lang.Object) and {@code fields} (name, descriptor, offset; those of
  * superclasses first, of each class in the order of declaration). */
final class JsonTable {
    private JsonTable() {}

    static String text(List<Klass> klasses) {
        return klasses.stream().map(JsonTable::line).collect(Collectors.joining(",\n ", "[", "]\n"));
    }

    private static String line(Klass klass) {
        int kind = !klass.isArray() ? 0 : klass.holdsReferences() ? 2 : 1;
        String fields = klass.isArray() ? "" : klass.layout().slots().stream()
                .map(slot -> "[%s, %s, %d]".formatted(quoted(slot.field().name()),
                        quoted(slot.field().descriptor()), slot.offset()))
                .collect(Collectors.joining(", "));
        String text = "{\"name\": %s, \"kind\": %d, \"shift\": %d, \"size\": %d, \"metadata\": %b, "
                + "\"constants\": [%s], \"super\": %s, \"fields\": [%s]}";
        return text.formatted(
                quoted(klass.name()), kind, klass.isArray() ? klass.elementShift() : 0,
                klass.isArray() ? 0 : klass.objectSize(), klass.metadata(),
                klass.constants().stream().map(JsonTable::quoted).collect(Collectors.joining(", ")),
                klass.parent() == null ? "null" : quoted(klass.parent().name()), fields);
    }

    /** Quotes a name in ASCII. Other characters are escaped by their UTF-16 code units. */
    private static String quoted(String name) {
        StringBuilder text = new StringBuilder("\"");
        for (char each : name.toCharArray()) {
            boolean plain = StandardCharsets.US_ASCII.newEncoder().canEncode(each) && each >= ' ' && each != '"'
                    && each != '\\';
            text.append(plain ? String.valueOf(each) : "\\u%04x".formatted((int) each));
        }
        return text.append('"').toString();
    }
}
