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
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Runs the programs by one serializer: `--serializer java|kryo [--program NAME]... [--warm N] [--runs N] [--records
  * N] --output FOLDER`. Writes a line of JSON a run, `runs.SERIALIZER.jsonl`; with `--records`, of one more run each,
  * `records/PROGRAM.json`: a sample of what was serialized. */
public final class Main {
    private static final List<Program> PROGRAMS = List.of(new NWeight(), Regression.svm(), new Bayes(),
        Regression.lr(), new Terasort(), new Als(),
        new WordCount(), new PageRank(), new Components(), new Triangles());
    private static final double NEAR = 1e-9;

    private String serializer = "java";
    private final List<String> only = new ArrayList<>();
    private int warm = 2;
    private int runs = 3;
    private int records;
    private Path output = Path.of(".");

    private Main(String[] arguments) {
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length) {
                throw new IllegalArgumentException(arguments[i] + " needs a value");
            }
            String value = arguments[i + 1];
            switch (arguments[i]) {
                case "--serializer" -> serializer = value;
                case "--program" -> only.add(value);
                case "--warm" -> warm = Integer.parseInt(value);
                case "--runs" -> runs = Integer.parseInt(value);
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
        // Registering classes makes Kryo the serializer: ours is named behind it.
        SparkConf conf = new SparkConf(false).setMaster("local[1]").setAppName("heapwire")
            .registerKryoClasses(classes.toArray(Class<?>[]::new))
            .set("spark.serializer", MeteredSerializer.class.getName()).set(MeteredSerializer.CHOICE, serializer)
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
        double empty = Meter.emptyInterval();
        try (JavaSparkContext context = context()) {
            for (Program program : PROGRAMS) {
                if (only.isEmpty() || only.contains(program.name)) {
                    one(program, context, empty, lines);
                    System.err.println("spark: " + program.name + " by " + serializer);
                }
            }
        }
        Files.writeString(output.resolve("runs." + serializer + ".jsonl"), lines);
    }

    private void one(Program program, JavaSparkContext context, double empty, StringBuilder lines) throws IOException {
        double expected = program.expected();
        for (int i = 0; i < warm + runs; i++) {
            Map<String, Object> row = measured(program, context, expected);
            row.put("empty_interval_ns", empty);
            if (i >= warm) {
                lines.append(Json.object(row)).append("\n");
            }
        }
        if (records > 0) {
            lines.append(Json.object(inspected(program, context, expected))).append("\n");
        }
    }

    private Map<String, Object> row(Program program, String kind) {
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

    private Map<String, Object> measured(Program program, JavaSparkContext context, double expected) {
        System.gc();
        Meter.clear();
        long collected = collections();
        long started = System.nanoTime();
        double found = program.run(context);
        long took = System.nanoTime() - started;
        Map<String, Object> row = row(program, "measured");
        row.put("ok", near(found, expected));
        row.put("wall_ns", took);
        row.put("run_ns", Meter.run);
        row.put("serialize_ns", Meter.serialize.total());
        row.put("write_ns", Meter.write.total());
        row.put("deserialize_ns", Meter.deserialize.total());
        row.put("read_ns", Meter.read.total());
        row.put("collection_ns", 1_000_000 * (collections() - collected));
        row.put("tasks", Meter.tasks);
        row.put("intervals", Meter.serialize.intervals() + Meter.deserialize.intervals());
        row.put("stopped", Meter.serialize.stopped() + Meter.deserialize.stopped() + Meter.write.stopped()
            + Meter.read.stopped());
        row.put("roots_written", Meter.rootsWritten);
        row.put("roots_read", Meter.rootsRead);
        row.put("bytes_written", Meter.bytesWritten);
        row.put("bytes_read", Meter.bytesRead);
        row.put("spark", context.version());
        row.put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        row.put("heap_bytes", Runtime.getRuntime().maxMemory());
        return row;
    }

    private Map<String, Object> inspected(Program program, JavaSparkContext context,
        double expected) throws IOException {
        Inspector inspector = new Inspector(records);
        Meter.clear();
        Meter.inspector = inspector;
        double found;
        try {
            found = program.run(context);
        } finally {
            Meter.inspector = null;
        }
        Map<String, Object> row = row(program, "inspected");
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
