package heapwire.peers;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.DefaultClassResolver;
import com.esotericsoftware.kryo.util.MapReferenceResolver;
import heapwire.bench.GraphNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Kryo with the registrations that the tool wrote (kryo.txt). It uses either Kryo's own serializers with references,
  * or {@link ManualSerializers}. */
public final class KryoEngine implements Engine {
    private final Kryo kryo;

    private KryoEngine(Kryo kryo, Path registrations) throws IOException, ClassNotFoundException {
        this.kryo = kryo;
        kryo.setRegistrationRequired(true);
        for (String line : Files.readAllLines(registrations)) {
            String[] words = line.split(" ");
            kryo.register(Class.forName(words[1]), Integer.parseInt(words[0]));
        }
    }

    public static KryoEngine generic(Path registrations) throws IOException, ClassNotFoundException {
        Kryo kryo = new Kryo();
        kryo.setReferences(true);
        return new KryoEngine(kryo, registrations);
    }

    /** Only types whose objects may occur twice have reference ids. */
    public static KryoEngine manual(Path registrations) throws IOException, ClassNotFoundException {
        Kryo kryo = new Kryo(new DefaultClassResolver(), new MapReferenceResolver() {
            @Override
            @SuppressWarnings("rawtypes")
            public boolean useReferences(Class type) {
                return type == GraphNode.class;
            }
        });
        KryoEngine engine = new KryoEngine(kryo, registrations);
        ManualSerializers.register(kryo);
        return engine;
    }

    @Override
    public byte[] write(Object graph) {
        Output out = new Output(4096, -1);
        kryo.writeClassAndObject(out, graph);
        return out.toBytes();
    }

    @Override
    public Object read(byte[] bytes) throws IOException {
        Input in = new Input(bytes);
        Object graph = kryo.readClassAndObject(in);
        if (in.position() != bytes.length) {
            throw new IOException("bytes are left");
        }
        return graph;
    }
}
