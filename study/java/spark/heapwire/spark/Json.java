package heapwire.spark;

import java.util.Map;

/** As much of JSON as rows and records need. */
final class Json {
    private Json() {
    }

    /** Appends a string between quotes. */
    static void text(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '"' || each == '\\') {
                out.append('\\').append(each);
            } else if (each < ' ' || each > '~') {
                out.append("\\u%04x".formatted((int) each));
            } else {
                out.append(each);
            }
        }
        out.append('"');
    }

    /** An object of strings, numbers and truth values. */
    static String object(Map<String, Object> members) {
        StringBuilder out = new StringBuilder("{");
        String separator = "";
        for (Map.Entry<String, Object> member : members.entrySet()) {
            out.append(separator);
            text(out, member.getKey());
            out.append(": ");
            if (member.getValue() instanceof String value) {
                text(out, value);
            } else {
                out.append(member.getValue());
            }
            separator = ", ";
        }
        return out.append("}").toString();
    }
}
