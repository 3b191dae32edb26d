package heapwire.spark;

import heapwire.cereal.CerealOutputStream;
import heapwire.cereal.ClassSet;
import heapwire.skyway.Registry;
import heapwire.skyway.SkywayOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Makes blocks of roots: the names of the classes that no block before has, and streams of a format. Roots of a block
  * of Skyway share what they reach, as those of Java's serializer do. */
abstract class Encoder {
    static final int BLOCK = 1;
    /** Number of the registry of a stream of blocks. */
    static final int REGISTRY = 1;
    private static final int ROOTS = 100;
    private static final int LONG = 1 << 16;

    final ByteArrayOutputStream block = new ByteArrayOutputStream();
    private final DataOutputStream out;
    private int roots;
    private int known;
    private int told;

    Encoder(DataOutputStream out) {
        this.out = out;
    }

    /** Adds a root. Throws InvalidClassException or InvalidObjectException, and adds nothing, for a graph that the
      * format does not have. */
    final void write(Object root) throws IOException {
        write(root, known);
        known = classes();
        roots++;
        if (roots == ROOTS || size() >= LONG) {
            send();
        }
    }

    /** Writes the block, if there is one, and begins another. */
    final void send() throws IOException {
        if (roots == 0) {
            return;
        }
        end();
        out.writeByte(BLOCK);
        out.writeShort(known - told);
        for (; told < known; told++) {
            out.writeUTF(type(told).getName());
        }
        out.writeInt(block.size());
        block.writeTo(out);
        block.reset();
        roots = 0;
    }

    /** before: the number of classes that the block has. */
    abstract void write(Object root, int before) throws IOException;

    /** Completes the block's streams. */
    void end() throws IOException {}

    /** Returns the bytes of the block so far. */
    abstract long size();

    abstract int classes();

    /** Returns the class of a number, from 0 on. */
    abstract Class<?> type(int number);

    /** Roots are streams of their own. All streams of a block are of one class set, which their headers name. */
    static final class OfCereal extends Encoder {
        private final ClassSet classes = ClassSet.growing();
        private final ByteArrayOutputStream root = new ByteArrayOutputStream();
        private final CerealOutputStream stream = new CerealOutputStream(root, classes, true);

        OfCereal(DataOutputStream out) {
            super(out);
        }

        @Override
        void write(Object object, int before) throws IOException {
            root.reset();
            stream.writeObject(object);
            if (classes.size() > before) {
                send();
            }
            root.writeTo(block);
        }

        @Override
        long size() {
            return block.size();
        }

        @Override
        int classes() {
            return classes.size();
        }

        @Override
        Class<?> type(int number) {
            return classes.type(number);
        }
    }

    static final class OfSkyway extends Encoder {
        private final Registry registry = Registry.growing(REGISTRY);
        private final SkywayOutputStream stream = new SkywayOutputStream(block, registry);

        OfSkyway(DataOutputStream out) {
            super(out);
        }

        @Override
        void write(Object object, int before) throws IOException {
            stream.writeObject(object);
        }

        @Override
        void end() throws IOException {
            stream.end();
        }

        @Override
        long size() {
            return stream.size();
        }

        @Override
        int classes() {
            return registry.size();
        }

        @Override
        Class<?> type(int number) {
            return registry.type(number + 1);
        }
    }
}
