package heapwire.classes;

import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds classes by name, first in the running JDK, then in folders and jars. Reads them, but runs nothing. */
public final class ClassPath {
    private final Map<String, ClassFile> known = new HashMap<>();
    private final List<Path> entries;
    private final URLClassLoader loader;

    public ClassPath(List<Path> entries) {
        this.entries = entries;
        URL[] urls = new URL[entries.size()];
        for (int i = 0; i < urls.length; i++) {
            Path entry = entries.get(i);
            if (!Files.exists(entry)) {
                throw new ClassError("class path: there is no " + entry
                        + "; compile the classes first or correct --classpath");
            }
            try {
                urls[i] = entry.toUri().toURL();
            } catch (MalformedURLException error) {
                throw new ClassError("class path: " + entry + ": " + error.getMessage());
            }
        }
        loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    /** Returns the class with this name ({@link Class#getName}). {@code wanted} says in an error why it is needed. */
    public ClassFile find(String name, String wanted) {
        return known.computeIfAbsent(name, key -> load(key, wanted));
    }

    /** Returns whether {@code name} is {@code ancestor}, or extends or implements it. */
    public boolean isSubtype(String name, String ancestor) {
        if (name.equals(ancestor)) {
            return true;
        }
        ClassFile file = find(name, "named");
        if (file.superName() != null) {
            find(file.superName(), "superclass of " + name);
            if (isSubtype(file.superName(), ancestor)) {
                return true;
            }
        }
        for (String each : file.interfaces()) {
            find(each, "interface of " + name);
            if (isSubtype(each, ancestor)) {
                return true;
            }
        }
        return false;
    }

    private ClassFile load(String name, String wanted) {
        String resource = name.replace('.', '/') + ".class";
        try (InputStream stream = loader.getResourceAsStream(resource)) {
            if (stream == null) {
                throw new ClassError(name + " (" + wanted + "): not found in the JDK nor in " + entries
                        + "; compile it, and add its folder or jar to the class path (nested classes are named"
                        + " Outer$Inner)");
            }
            ClassFile file = ClassFile.parse(stream.readAllBytes(), name);
            if (!file.name().equals(name)) {
                throw new ClassError(name + ": the class file " + resource + " holds " + file.name()
                        + "; its folder is not the package's");
            }
            return file;
        } catch (IOException error) {
            throw new ClassError(name + ": cannot read " + resource + ": " + error.getMessage());
        }
    }
}
