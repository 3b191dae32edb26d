package heapwire.spark;

import heapwire.cereal.CerealInputStream;
import heapwire.cereal.ClassSet;
import heapwire.skyway.Registry;
import heapwire.skyway.SkywayInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;

/** Takes blocks of roots apart (Encoder). */
abstract class Decoder {
    final ClassLoader loader;
    InputStream block = InputStream.nullInputStream();

    Decoder(ClassLoader loader) {
        this.loader = loader;
    }

    /** Returns whether the block has more roots. */
    abstract boolean more() throws IOException;

    abstract Object read() throws IOException;

    abstract void register(Class<?> type) throws InvalidClassException;

    /** Begins with the block that was taken in. */
    void begin() {}

    final void take(DataInputStream from) throws IOException {
        for (int left = from.readUnsignedShort(); left > 0; left--) {
            String name = from.readUTF();
            try {
                register(Class.forName(name, false, loader));
            } catch (ClassNotFoundException | LinkageError error) {
                throw (InvalidClassException) new InvalidClassException(name, "is not here").initCause(error);
            }
        }
        int length = from.readInt();
        if (length < 0) {
            throw new InvalidClassException("a block of " + length + " bytes");
        }
        byte[] bytes = from.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("a block that ends early");
        }
        block = new ByteArrayInputStream(bytes);
        begin();
    }

    static final class OfCereal extends Decoder {
        private final ClassSet classes = ClassSet.growing();

        OfCereal(ClassLoader loader) {
            super(loader);
        }

        @Override
        boolean more() throws IOException {
            return block.available() > 0;
        }

        @Override
        Object read() throws IOException {
            return new CerealInputStream(block, classes, loader).readObject();
        }

        @Override
        void register(Class<?> type) throws InvalidClassException {
            classes.register(type);
        }
    }

    static final class OfSkyway extends Decoder {
        private final Registry registry = Registry.growing(Encoder.REGISTRY);
        private SkywayInputStream stream = new SkywayInputStream(block, registry, null);

        OfSkyway(ClassLoader loader) {
            super(loader);
        }

        @Override
        void begin() {
            stream = new SkywayInputStream(block, registry, loader);
        }

        @Override
        boolean more() throws IOException {
            return stream.available() > 0 || block.available() > 0;
        }

        @Override
        Object read() throws IOException {
            return stream.readObject();
        }

        @Override
        void register(Class<?> type) throws InvalidClassException {
            registry.register(type);
        }
    }
}
