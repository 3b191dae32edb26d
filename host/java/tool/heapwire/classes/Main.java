package heapwire.classes;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command line. Exit codes: 0; 1 with a message on stderr and no output written; 2 for wrong usage. */
@Command(name = "classes", mixinStandardHelpOptions = true,
        description = "Writes classes.h, classes.c and serial.c, the firmware's klass tables, from Java class files.")
public final class Main implements Callable<Integer> {
    @Option(names = "--constants", required = true, paramLabel = "FILE",
            description = "heapwire.h, as `make verilog` generates it")
    private Path constants;

    @Option(names = "--list", paramLabel = "FILE",
            description = "classes to emit, one a line (docs/reference/classes.md)")
    private List<Path> lists = List.of();

    @Option(names = {"--classpath", "-cp"}, paramLabel = "PATH",
            description = "folders and jars of classes beside the JDK's")
    private String classPath = "";

    @Option(names = "--output", required = true, paramLabel = "DIR",
            description = "where classes.h, classes.c, classes.json, serial.c and kryo.txt go")
    private Path output;

    @Parameters(paramLabel = "CLASS",
            description = "more classes: `package.Outer$Inner`, `int[]`, `package.Name as C_NAME`")
    private List<String> names = List.of();

    @Override
    public Integer call() throws IOException {
        try {
            List<ClassList.Entry> entries = new ArrayList<>();
            lists.forEach(list -> entries.addAll(ClassList.read(list)));
            names.forEach(name -> entries.add(ClassList.parse(name.strip(), "command line")));
            if (entries.isEmpty()) {
                throw new ClassError("no class to emit: name some, or give a list by --list");
            }
            ClassPath path = new ClassPath(Stream.of(classPath.split(File.pathSeparator))
                    .filter(each -> !each.isEmpty()).map(Path::of).toList());
            List<Klass> klasses = new KlassTable(path, new Constants(constants), entries).klasses();
            Files.createDirectories(output);
            write(output.resolve("classes.h"), CHeader.text(klasses));
            write(output.resolve("classes.c"), CSource.text(klasses));
            write(output.resolve("classes.json"), JsonTable.text(klasses));
            write(output.resolve("serial.c"), new SerialSource(klasses, path).text());
            write(output.resolve("kryo.txt"), KryoClass.registrations(klasses));
            return 0;
        } catch (ClassError error) {
            System.err.println("classes: " + error.getMessage());
            return 1;
        }
    }

    /** Writes a file unless its content would not change, so that nothing that depends on it is built again. */
    private static void write(Path file, String text) throws IOException {
        if (!Files.exists(file) || !Files.readString(file).equals(text)) {
            Files.writeString(file, text);
        }
    }

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Main()).execute(arguments));
    }
}
