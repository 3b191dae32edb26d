package heapwire.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.InvalidObjectException;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/** A serializer of Spark that copies graphs of objects. A stream is a row of blocks: those of a format, with up to a
  * hundred roots (Encoder), and objects that the format does not have, such as lambdas, by Java's serializer. */
public abstract class GraphSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int JAVA = 2;

    private final JavaSerializer java;

    GraphSerializer(SparkConf conf) {
        java = new JavaSerializer(conf);
    }

    abstract Encoder encoder(DataOutputStream out);

    abstract Decoder decoder(ClassLoader loader);

    @Override
    public Serializer setDefaultClassLoader(ClassLoader loader) {
        java.setDefaultClassLoader(loader);
        return super.setDefaultClassLoader(loader);
    }

    @Override
    public SerializerInstance newInstance() {
        return new Instance(java.newInstance());
    }

    private ClassLoader loader() {
        return defaultClassLoader().isDefined() ? defaultClassLoader().get()
                : Thread.currentThread().getContextClassLoader();
    }

    /** Scala's methods, which Spark calls, throw what they like. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException thrown(Throwable error) throws E {
        throw (E) error;
    }

    private final class Instance extends SerializerInstance {
        private final SerializerInstance inner;

        Instance(SerializerInstance inner) {
            this.inner = inner;
        }

        @Override
        public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            SerializationStream stream = serializeStream(bytes);
            stream.writeObject(value, tag);
            stream.close();
            return ByteBuffer.wrap(bytes.toByteArray());
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
            return deserialize(bytes, loader(), tag);
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
            byte[] copy = new byte[bytes.remaining()];
            bytes.duplicate().get(copy);
            return new Reader(new ByteArrayInputStream(copy), inner, decoder(loader), loader).readObject(tag);
        }

        @Override
        public SerializationStream serializeStream(OutputStream out) {
            DataOutputStream to = new DataOutputStream(out);
            return new Writer(to, inner, encoder(to));
        }

        @Override
        public DeserializationStream deserializeStream(InputStream in) {
            return new Reader(in, inner, decoder(loader()), loader());
        }
    }

    private static final class Writer extends SerializationStream {
        private final DataOutputStream out;
        private final SerializerInstance java;
        private final Encoder encoder;

        Writer(DataOutputStream out, SerializerInstance java, Encoder encoder) {
            this.out = out;
            this.java = java;
            this.encoder = encoder;
        }

        @Override
        public <T> SerializationStream writeObject(T value, ClassTag<T> tag) {
            try {
                if (value == null || !encoded(value)) {
                    encoder.send();
                    ByteBuffer bytes = java.serialize(value, tag);
                    out.writeByte(JAVA);
                    out.writeInt(bytes.remaining());
                    out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
                }
                return this;
            } catch (IOException error) {
                throw GraphSerializer.<RuntimeException>thrown(error);
            }
        }

        private boolean encoded(Object value) throws IOException {
            try {
                encoder.write(value);
                return true;
            } catch (InvalidClassException | InvalidObjectException error) {
                return false;
            }
        }

        @Override
        public void flush() {
            try {
                encoder.send();
                out.flush();
            } catch (IOException error) {
                throw GraphSerializer.<RuntimeException>thrown(error);
            }
        }

        @Override
        public void close() {
            try (out) {
                encoder.send();
            } catch (IOException error) {
                throw GraphSerializer.<RuntimeException>thrown(error);
            }
        }
    }

    private static final class Reader extends DeserializationStream {
        private final DataInputStream in;
        private final SerializerInstance java;
        private final Decoder decoder;
        private final ClassLoader loader;

        Reader(InputStream in, SerializerInstance java, Decoder decoder, ClassLoader loader) {
            this.in = new DataInputStream(in);
            this.java = java;
            this.decoder = decoder;
            this.loader = loader;
        }

        /** The end of the stream is an EOFException. */
        @Override
        @SuppressWarnings("unchecked")
        public <T> T readObject(ClassTag<T> tag) {
            try {
                while (!decoder.more()) {
                    int kind = in.readUnsignedByte();
                    if (kind == JAVA) {
                        return java.deserialize(ByteBuffer.wrap(bytes()), loader, tag);
                    }
                    if (kind != Encoder.BLOCK) {
                        throw new StreamCorruptedException("a block of kind " + kind);
                    }
                    decoder.take(in);
                }
                return (T) decoder.read();
            } catch (IOException error) {
                throw GraphSerializer.<RuntimeException>thrown(error);
            }
        }

        private byte[] bytes() throws IOException {
            int length = in.readInt();
            byte[] bytes = in.readNBytes(Math.max(length, 0));
            if (bytes.length != length) {
                throw new EOFException("an object that ends early");
            }
            return bytes;
        }

        @Override
        public void close() {
            try {
                in.close();
            } catch (IOException error) {
                throw GraphSerializer.<RuntimeException>thrown(error);
            }
        }
    }
}
