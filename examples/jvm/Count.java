import heapwire.cereal.CerealInputStream;
import heapwire.cereal.CerealOutputStream;
import heapwire.cereal.ClassSet;
import heapwire.line.ObjectLine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.TreeMap;

/** Has words counted by counts.c, on the machine whose line is named: HOST:PORT of a simulation, or a serial port. */
public final class Count {
    private static final String TEXT = "the quick fox and the lazy fox and the d\u00e9j\u00e0-vu fox";

    public static void main(String[] arguments) throws IOException, ClassNotFoundException {
        ClassSet classes = new ClassSet(String[].class, String.class, byte[].class, HashMap.class,
                Class.forName("java.util.HashMap$Node"), Class.forName("[Ljava.util.HashMap$Node;"), Integer.class);
        try (ObjectLine line = ObjectLine.open(arguments[0])) {
            ByteArrayOutputStream words = new ByteArrayOutputStream();
            new CerealOutputStream(words, classes).writeObject(TEXT.split(" "));
            line.give(words.toByteArray());
            byte[] answer = line.take();
            Object counts = new CerealInputStream(new ByteArrayInputStream(answer), classes).readObject();
            System.out.println(counts.getClass() + " " + new TreeMap<>((HashMap<?, ?>) counts));
            System.out.println("to the machine " + words.size() + " bytes, back " + answer.length);
        }
    }
}
