package heapwire.classes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The classes to emit, one on each line, such as {@code java.util.HashMap$Node metadata as Entry}; # starts a comment.
  * {@code metadata}: objects carry serialization metadata although the class is not Serializable. {@code as NAME}: its
  * name in C. */
final class ClassList {
    record Entry(String name, boolean metadata, String alias, String where) {}

    private ClassList() {}

    static List<Entry> read(Path path) {
        List<Entry> entries = new ArrayList<>();
        try {
            int number = 0;
            for (String line : Files.readAllLines(path)) {
                number++;
                String text = line.replaceFirst("#.*", "").strip();
                if (!text.isEmpty()) {
                    entries.add(parse(text, path + ":" + number));
                }
            }
        } catch (IOException error) {
            throw new ClassError("cannot read the list of classes " + path + ": " + error.getMessage());
        }
        return entries;
    }

    static Entry parse(String text, String where) {
        String[] words = text.split("\\s+");
        boolean metadata = false;
        String alias = null;
        for (int i = 1; i < words.length; i++) {
            if (words[i].equals("metadata")) {
                metadata = true;
            } else if (words[i].equals("as") && i + 1 < words.length
                    && words[i + 1].matches("[A-Za-z_][A-Za-z0-9_]*")) {
                alias = words[++i];
            } else {
                throw new ClassError(where + ": `" + text
                        + "`: a class name may be followed by `metadata` and by `as C_NAME`");
            }
        }
        return new Entry(Names.binary(words[0]), metadata, alias, where);
    }
}
