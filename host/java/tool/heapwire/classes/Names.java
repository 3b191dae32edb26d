package heapwire.classes;

import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Converts names of classes between Java source, Class.getName and C. */
final class Names {
    private static final Map<String, String> PRIMITIVES = Map.of("boolean", "Z", "byte", "B", "char", "C", "short", "S",
            "int", "I", "long", "J", "float", "F", "double", "D");

    private Names() {}

    /** Converts {@code java.lang.String[]} to {@code [Ljava.lang.String;}. Other names stay. */
    static String binary(String source) {
        String element = source;
        StringBuilder brackets = new StringBuilder();
        while (element.endsWith("[]")) {
            element = element.substring(0, element.length() - 2);
            brackets.append('[');
        }
        if (brackets.isEmpty()) {
            if (PRIMITIVES.containsKey(source)) {
                throw new ClassError(source + ": a primitive type has no class; name its array (" + source
                        + "[]) or its box");
            }
            return source;
        }
        return brackets + PRIMITIVES.getOrDefault(element, "L" + element + ";");
    }

    static boolean isArray(String binary) {
        return binary.startsWith("[");
    }

    /** Returns the class of the innermost element, or null if it is primitive. */
    static String elementClass(String array) {
        String element = array.substring(array.lastIndexOf('[') + 1);
        return element.startsWith("L") ? element.substring(1, element.length() - 1) : null;
    }

    /** Returns the simple C name, with a nested class's name behind the outer one's: {@code HashMap_Node}, {@code
      * int_array}. */
    static String c(String binary) {
        if (!isArray(binary)) {
            return identifier(binary.substring(binary.lastIndexOf('.') + 1));
        }
        String element = elementClass(binary);
        String code = binary.substring(binary.lastIndexOf('[') + 1);
        String base = element != null ? c(element)
                : PRIMITIVES.entrySet().stream().filter(entry -> entry.getValue().equals(code)).findFirst()
                        .orElseThrow().getKey();
        return base + "_array".repeat(binary.lastIndexOf('[') + 1);
    }

    /** Converts a Java identifier to a part of a C identifier. */
    static String identifier(String name) {
        StringBuilder text = new StringBuilder();
        for (char each : name.toCharArray()) {
            boolean plain = each < 128 && (Character.isLetterOrDigit(each) || each == '_');
            text.append(plain ? String.valueOf(each) : each == '$' ? "_" : String.format("_u%04x", (int) each));
        }
        return text.toString();
    }

    /** Returns a C string literal of the name in UTF-8. */
    static String literal(String name) {
        StringBuilder text = new StringBuilder("\"");
        for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = each >= ' ' && each < 127 && each != '"' && each != '\\';
            text.append(plain ? String.valueOf((char) each) : String.format("\\%03o", each & 0xff));
        }
        return text.append('"').toString();
    }
}
