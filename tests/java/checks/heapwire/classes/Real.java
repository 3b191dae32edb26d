package heapwire.classes;

import heapwire.heap.Layout;
import java.io.File;
import java.io.IOException;
import java.io.ObjectStreamClass;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import jdk.internal.misc.Unsafe;
import org.objectweb.asm.Opcodes;

/** Prints what the running JVM says of the same classes. Usage: Real MODE ARGUMENT..., see main. */
public final class Real {
    private static int compared;
    private static int different;

    private Real() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "uid" -> uid(arguments[1], names(arguments, 2));
            case "layout" -> layout(Integer.parseInt(arguments[1]), arguments[2], names(arguments, 3));
            case "offsets" -> offsets(arguments[1], names(arguments, 2));
            case "strings" -> strings(Path.of(arguments[1]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    /** Compares the uid of each class with the tool's. Prints `NAME UID` of each if there are fewer than 500. */
    private static void uid(String classPath, List<String> names) throws Exception {
        try (URLClassLoader loader = loader(classPath)) {
            ClassPath path = path(classPath);
            for (String name : names) {
                Class<?> type = Class.forName(name, false, loader);
                long real = ObjectStreamClass.lookupAny(type).getSerialVersionUID();
                if (!type.isArray()) {
                    compare(name, real, SerialVersion.of(path.find(name, "test"), path));
                }
                if (names.size() < 500) {
                    System.out.println(name + " " + real);
                }
            }
        }
        System.out.println("compared " + compared + " different " + different);
    }

    /** Compares the offsets of all instance fields, inherited ones included. `header`: bytes of an object's header. */
    private static void layout(int header, String classPath, List<String> names) throws Exception {
        try (URLClassLoader loader = loader(classPath)) {
            ClassPath path = path(classPath);
            for (String name : names) {
                compareLayout(Class.forName(name, false, loader), layout(header, name, path), path);
            }
        }
        System.out.println("compared " + compared + " different " + different);
    }

    /** Prints `NAME.FIELD OFFSET` of each instance field that one of the classes declares. */
    private static void offsets(String classPath, List<String> names) throws Exception {
        try (URLClassLoader loader = loader(classPath)) {
            for (String name : names) {
                Class<?> type = Class.forName(name, false, loader);
                for (ClassFile.Field field : path(classPath).find(name, "test").fields()) {
                    if (!field.isStatic()) {
                        System.out.println(name + "." + field.name() + " " + Unsafe.getUnsafe().objectFieldOffset(type, field.name()));
                    }
                }
            }
        }
    }

    private static Layout<ClassFile.Field> layout(int header, String name, ClassPath path) {
        ClassFile file = path.find(name, "test");
        return new Layout<>(file.superName() == null ? new Layout<>(header) : layout(header, file.superName(), path), file.fields());
    }

    private static void compareLayout(Class<?> type, Layout<ClassFile.Field> layout, ClassPath path) {
        for (Layout.Slot<ClassFile.Field> slot : layout.declared()) {
            String name = slot.field().name();
            compare(type.getName() + "." + name, Unsafe.getUnsafe().objectFieldOffset(type, name), slot.offset());
        }
    }

    private static void compare(String what, long real, long own) {
        compared++;
        if (real != own) {
            different++;
            System.out.println("different: " + what + ": the JVM has " + real + ", the tool " + own);
        }
    }

    /** Prints code units in hex, coder, hash and encoded bytes of the string of each line, which is UTF-8 in hex. */
    private static void strings(Path file) throws Exception {
        var coder = String.class.getDeclaredField("coder");
        coder.setAccessible(true);
        for (String line : Files.readAllLines(file)) {
            String text = new String(HexFormat.of().parseHex(line), StandardCharsets.UTF_8);
            StringBuilder units = new StringBuilder();
            text.chars().forEach(unit -> units.append("%04x".formatted(unit)));
            System.out.println("%s %d %d %s".formatted(units, coder.getByte(text), text.hashCode(),
                    HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8))));
        }
    }

    /** Returns the names, and for a package with a star, e.g. `java.util.*`, the names of its plain classes. */
    private static List<String> names(String[] arguments, int from) throws IOException {
        List<String> names = new ArrayList<>();
        for (int i = from; i < arguments.length; i++) {
            if (!arguments[i].endsWith(".*")) {
                names.add(arguments[i]);
                continue;
            }
            Path folder = FileSystems.getFileSystem(URI.create("jrt:/"))
                    .getPath("/modules/java.base", arguments[i].substring(0, arguments[i].length() - 2).replace('.', '/'));
            try (Stream<Path> files = Files.list(folder)) {
                for (Path each : files.sorted().toList()) {
                    String name = each.toString().substring("/modules/java.base/".length()).replace('/', '.');
                    if (name.endsWith(".class") && plain(name.substring(0, name.length() - 6))) {
                        names.add(name.substring(0, name.length() - 6));
                    }
                }
            }
        }
        return names;
    }

    /** Returns whether the tool supports the class: no interface, no padding, and no fields that HotSpot adds. */
    private static boolean plain(String name) {
        ClassFile file = path("").find(name, "test");
        return !file.is(Opcodes.ACC_INTERFACE) && !file.isContended() && !Layout.UNSUPPORTED.containsKey(name)
                && (file.superName() == null || plain(file.superName()));
    }

    private static ClassPath path(String classPath) {
        return new ClassPath(Stream.of(classPath.split(File.pathSeparator)).filter(each -> !each.isEmpty()).map(Path::of).toList());
    }

    private static URLClassLoader loader(String classPath) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String each : classPath.split(File.pathSeparator)) {
            urls.add(Path.of(each).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    }
}
