package peers;

import heapwire.bench.ListNode;
import heapwire.peers.Engine;
import heapwire.peers.KryoEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** {@code write FOLDER} writes every case with every engine to {@code NAME.ENGINE}. {@code check FOLDER} checks the C
  * program's {@code NAME.FROM-TO}: the same graph, and the same bytes. Both also handle a long list. {@code kryo.txt}
  * has the registrations. */
public final class Main {
    private static final int LONG_LIST = 500_000;

    private final Map<String, Engine> engines = new LinkedHashMap<>();
    private final Path folder;
    private int compared;
    private int exact;
    private int wrong;

    private Main(Path folder) throws IOException, ClassNotFoundException {
        this.folder = folder;
        Path registrations = folder.resolve("kryo.txt");
        engines.put("java", Engine.JAVA);
        engines.put("kryo", KryoEngine.generic(registrations));
        engines.put("manual", KryoEngine.manual(registrations));
    }

    private void write() throws IOException {
        for (Map.Entry<String, Cases.Case> each : Cases.all().entrySet()) {
            for (String engine : engines.keySet()) {
                if (!engine.equals("manual") || each.getValue().manual()) {
                    Files.write(folder.resolve(each.getKey() + "." + engine), engines.get(engine).write(each.getValue().graph()));
                }
            }
        }
        Files.write(folder.resolve("linked.other"), engines.get("java").write(new LinkedHashMap<>(Map.of("key", "value"))));
        ListNode list = Cases.linked(LONG_LIST, i -> i);
        for (String engine : engines.keySet()) {
            Files.write(folder.resolve("deep." + engine), engines.get(engine).write(list));
        }
    }

    private void check() throws Exception {
        for (Map.Entry<String, Cases.Case> each : Cases.all().entrySet()) {
            for (String from : engines.keySet()) {
                for (String to : engines.keySet()) {
                    Path path = folder.resolve(each.getKey() + "." + from + "-" + to);
                    if (each.getValue().manual() || !from.equals("manual") && !to.equals("manual")) {
                        compare(path, each.getValue(), from, to);
                    }
                }
            }
        }
        for (String to : engines.keySet()) {
            byte[] bytes = Files.readAllBytes(folder.resolve("deep.java-" + to));
            report("deep " + to, Same.difference(Cases.linked(LONG_LIST, i -> i), engines.get(to).read(bytes), true));
        }
        System.out.println("compared " + compared + " exact " + exact + " wrong " + wrong);
    }

    private void compare(Path path, Cases.Case wanted, String from, String to) throws Exception {
        byte[] bytes = Files.readAllBytes(path);
        boolean sharing = !from.equals("manual") && !to.equals("manual");
        try {
            report(path.getFileName().toString(), Same.difference(wanted.graph(), engines.get(to).read(bytes), sharing));
        } catch (IOException | RuntimeException | ClassNotFoundException error) {
            report(path.getFileName().toString(), error.toString());
        }
        if (wanted.ordered() && !(from.equals("kryo") && to.equals("java") && wanted.boxes())) {
            // The expected bytes are this JVM's for the same stream, because reading changes the capacities of maps.
            byte[] source = Files.readAllBytes(folder.resolve(path.getFileName().toString().replaceFirst("-[^-]*$", "")));
            byte[] expected = engines.get(to).write(engines.get(from).read(source));
            exact++;
            if (!Arrays.equals(expected, bytes)) {
                wrong++;
                System.out.println(path.getFileName() + ": bytes differ at " + Arrays.mismatch(expected, bytes) + " of " + expected.length + ", "
                        + bytes.length);
            }
        }
    }

    private void report(String name, String difference) {
        compared++;
        if (difference != null) {
            wrong++;
            System.out.println(name + ": " + difference);
        }
    }

    /** Runs in a thread whose stack is large enough for the recursion of the JVM's serializers. */
    public static void main(String[] arguments) throws InterruptedException {
        Throwable[] failure = new Throwable[1];
        Thread thread = new Thread(null, () -> {
            try {
                Main main = new Main(Path.of(arguments[1]));
                if (arguments[0].equals("write")) {
                    main.write();
                } else {
                    main.check();
                }
            } catch (Throwable error) {
                failure[0] = error;
            }
        }, "deep", 2040L << 20);
        thread.start();
        thread.join();
        if (failure[0] != null) {
            failure[0].printStackTrace();
            System.exit(1);
        }
    }
}
