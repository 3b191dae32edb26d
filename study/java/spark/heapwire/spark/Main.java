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

/** Runs the programs by one serializer: `--serializer java|kryo [--program NAME]... [--seconds N] [--records N]
  * --output FOLDER`. Runs each for a quarter of the seconds to warm up, then again and again until its tasks have had
  * the processor for so long, and writes the mean as a line of JSON, `runs.SERIALIZER.jsonl`; with `--records`, of one
  * more run each, `records/PROGRAM.json`: a sample of what was serialized. */
public final class Main {
    private static final List<Program> PROGRAMS = List.of(new NWeight(), Regression.svm(), new Bayes(),
        Regression.lr(), new Terasort(), new Als(),
        new WordCount(), new PageRank(), new Components(), new Triangles());
    private static final double NEAR = 1e-9;

    private String serializer = "java";
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
                case "--serializer" -> serializer = value;
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
            .set("spark.serializer", MeteredSerializer.class.getName()).set(MeteredSerializer.CHOICE, serializer)
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
                    System.err.println("spark: " + program.name + " by " + serializer);
                }
            }
        }
        Files.writeString(output.resolve("runs." + serializer + ".jsonl"), lines);
    }

    private void one(Program program, JavaSparkContext context, StringBuilder lines) throws IOException {
        double expected = program.expected();
        measured(program, context, expected, seconds / 4);
        lines.append(Json.object(measured(program, context, expected, seconds))).append("\n");
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

    /** Runs a program until its tasks have had the processor for so many seconds, at least once. */
    private Map<String, Object> measured(Program program, JavaSparkContext context, double expected, double least) {
        System.gc();
        Meter.clear();
        long collected = collections();
        long started = System.nanoTime();
        boolean right = true;
        long runs = 0;
        do {
            right &= near(program.run(context), expected);
            runs++;
        } while (Meter.run < 1e9 * least);
        Map<String, Object> row = row(program, "measured");
        row.put("ok", right);
        row.put("runs", runs);
        row.put("wall_ns", (System.nanoTime() - started) / runs);
        row.put("run_ns", Meter.run / runs);
        for (int i = 0; i < Meter.PARTS.length; i++) {
            row.put(Meter.PARTS[i] + "_ns", Meter.of(i) / runs);
        }
        row.put("samples", Meter.samples);
        row.put("collection_ns", 1_000_000 * (collections() - collected) / runs);
        row.put("tasks", Meter.tasks / runs);
        row.put("roots_written", Meter.rootsWritten / runs);
        row.put("roots_read", Meter.rootsRead / runs);
        row.put("bytes_written", Meter.bytesWritten / runs);
        row.put("bytes_read", Meter.bytesRead / runs);
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
