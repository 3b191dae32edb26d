package heapwire.classes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The numbers of heapwire.h, on which software and hardware agree. */
final class Constants {
    private static final Pattern DEFINITION = Pattern.compile("#define (HW_\\w+) \\(?(-?\\d+|0x[0-9a-fA-F]+)\\)?\\s*");

    private final Map<String, Integer> values = new HashMap<>();
    private final Path path;

    Constants(Path path) {
        this.path = path;
        try {
            for (String line : Files.readAllLines(path)) {
                Matcher matcher = DEFINITION.matcher(line);
                if (matcher.matches()) {
                    values.put(matcher.group(1), (int) (long) Long.decode(matcher.group(2)));
                }
            }
        } catch (IOException error) {
            throw new ClassError("cannot read " + path + ": generate it by `make verilog`");
        }
    }

    int get(String name) {
        Integer value = values.get(name);
        if (value == null) {
            throw new ClassError(path + " has no " + name + ": generate it anew by `make verilog`");
        }
        return value;
    }
}
