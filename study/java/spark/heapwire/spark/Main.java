package heapwire.spark;

import heapwire.spark.programs.*;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Runs the programs: `[--program NAME]... [--seconds N] [--records N] --output FOLDER`. Runs each by both serializers
  * in turn, for a quarter of the seconds to warm up, then until the tasks by each of them have had the processor for so
  * long, and writes the means as a line of JSON a serializer, `runs.jsonl`; with `--records`, of one more run each,
  * `records/PROGRAM.json`: a sample of what was serialized. */
public final class Main {
    private static final List<Program> PROGRAMS = List.of(new NWeight(), Regression.svm(), new Bayes(),
        Regression.lr(), new Terasort(), new Als(),
        new WordCount(), new PageRank(), new Components(), new Triangles());
    private static final List<String> SERIALIZERS = List.of("java", "kryo");
    private static final double NEAR = 1e-9;

    private final List<String> only = new ArrayList<>();
    private double seconds = 60;
    private int records;
    private Path output = Path.of(".");

    private Main(String[] arguments) {
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value");
            }
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--program" -> only.add(value);
                case "--seconds" -> seconds = Double.parseDouble(value);
                case "--records" -> records = Integer.parseInt(value);
                case "--output" -> output = Path.of(value);
                default -> throw new IllegalArgumentException("no option " + arguments[i]);
            }
        }
        List<String> known = PROGRAMS.stream().map(each -> each.name).toList();
        if (!known.containsAll(only)) {
            throw new IllegalArgumentException("no program " + only + "; there are " + known);
        }
    }

    public static void main(String[] arguments) throws IOException {
        new Main(arguments).all();
    }

    private JavaSparkContext context() throws IOException {
        List<Class<?>> classes = new ArrayList<>();
        try (var lines = Files.lines(Path.of(System.getProperty("heapwire.classes")))) {
            lines.map(String::strip).filter(line -> !line.isEmpty()).forEach(name -> classes.add(named(name)));
        }
        // Registering classes makes Kryo the serializer: ours is named behind it. A class that nobody has registered is
        // an error; Kryo would write its name with each record.
        SparkConf conf = new SparkConf(false).setMaster("local[1]").setAppName("heapwire")
            .registerKryoClasses(classes.toArray(Class<?>[]::new))
            .set("spark.serializer", MeteredSerializer.class.getName())
            .set("spark.kryo.registrationRequired", "true").set("spark.kryo.pool", "true")
            .set("spark.plugins", TaskClock.class.getName()).set("spark.ui.enabled", "false")
            .set("spark.driver.host", "localhost").set("spark.driver.bindAddress", "127.0.0.1")
            .set("spark.local.dir", output.resolve("spark-local").toString());
        return new JavaSparkContext(conf);
    }

    private static Class<?> named(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException error) {
            throw new IllegalArgumentException(error);
        }
    }

    private void all() throws IOException {
        Files.createDirectories(output.resolve("records"));
        StringBuilder lines = new StringBuilder();
        Meter.start();
        try (JavaSparkContext context = context()) {
            for (Program program : PROGRAMS) {
                if (only.isEmpty() || only.contains(program.name)) {
                    one(program, context, lines);
                    System.err.println("spark: " + program.name);
                }
            }
        }
        Files.writeString(output.resolve("runs.jsonl"), lines);
    }

    private void one(Program program, JavaSparkContext context, StringBuilder lines) throws IOException {
        double expected = program.expected();
        measured(program, context, expected, seconds / 4);
        measured(program, context, expected, seconds).forEach(row -> lines.append(Json.object(row)).append("\n"));
        if (records > 0) {
            lines.append(Json.object(inspected(program, context, expected))).append("\n");
        }
    }

    private static Map<String, Object> row(Program program, String serializer, String kind) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("program", program.name);
        row.put("serializer", serializer);
        row.put("kind", kind);
        row.put("input", program.input);
        row.put("inputs", program.inputs);
        return row;
    }

    private static boolean near(double found, double expected) {
        return Math.abs(found - expected) <= NEAR * Math.abs(expected) && expected != 0;
    }

    private static long collections() {
        return java.lang.management.ManagementFactory.getGarbageCollectorMXBeans().stream()
            .mapToLong(each -> each.getCollectionTime()).sum();
    }

    /** What runs of a program by one serializer took. */
    private static final class Runs {
        private final Meter.Totals totals = new Meter.Totals();
        private boolean right = true;
        private long count;
        private long wall;
        private long collected;

        void add(Program program, JavaSparkContext context, double expected) {
            System.gc();
            Meter.to = totals;
            long before = collections();
            long started = System.nanoTime();
            right &= near(program.run(context), expected);
            wall += System.nanoTime() - started;
            collected += 1_000_000 * (collections() - before);
            count++;
        }

        Map<String, Object> row(Program program, String serializer, JavaSparkContext context) {
            Map<String, Object> row = Main.row(program, serializer, "measured");
            row.put("ok", right);
            row.put("runs", count);
            row.put("samples", totals.samples);
            row.put("wall_ns", wall / count);
            row.put("run_ns", totals.run / count);
            for (int i = 0; i < Meter.PARTS.length; i++) {
                row.put(Meter.PARTS[i] + "_ns", totals.of(i) / count);
            }
            row.put("collection_ns", collected / count);
            row.put("tasks", totals.tasks / count);
            row.put("roots_written", totals.rootsWritten / count);
            row.put("roots_read", totals.rootsRead / count);
            row.put("bytes_written", totals.bytesWritten / count);
            row.put("bytes_read", totals.bytesRead / count);
            row.put("spark", context.version());
            row.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
            row.put("heap_bytes", Runtime.getRuntime().maxMemory());
            return row;
        }
    }

    /** Runs a program by both serializers in turn, at least once each. So the program's own code is compiled once for
      * both, and what else this machine does slows both down. */
    private static List<Map<String, Object>> measured(Program program, JavaSparkContext context, double expected,
        double least) {
        List<Runs> found = SERIALIZERS.stream().map(each -> new Runs()).toList();
        do {
            for (int i = 0; i < found.size(); i++) {
                MeteredSerializer.kryo = SERIALIZERS.get(i).equals("kryo");
                found.get(i).add(program, context, expected);
            }
        } while (found.stream().anyMatch(each -> each.totals.run < 1e9 * least));
        return IntStream.range(0, found.size())
            .mapToObj(i -> found.get(i).row(program, SERIALIZERS.get(i), context)).toList();
    }

    private Map<String, Object> inspected(Program program, JavaSparkContext context,
        double expected) throws IOException {
        Inspector inspector = new Inspector(records);
        MeteredSerializer.kryo = false;
        Meter.inspector = inspector;
        double found;
        try {
            found = program.run(context);
        } finally {
            Meter.inspector = null;
        }
        Map<String, Object> row = row(program, SERIALIZERS.get(0), "inspected");
        row.put("ok", near(found, expected));
        row.put("records", inspector.records());
        row.put("objects", inspector.graphs.objects);
        row.put("references", inspector.graphs.references);
        Files.writeString(output.resolve("records").resolve(program.name + ".json"), String.join(",\n", Arrays.asList(
            "{\"program\": \"" + program.name + "\"", "\"input\": \"" + program.input + "\"", "\"spark\": \""
            + context.version() + "\"",
            "\"of\": " + inspector.records(), "\"records\": [\n" + String.join(",\n", inspector.sample()) + "\n]}\n")));
        return row;
    }
}
