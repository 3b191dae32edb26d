package tricky;

import java.io.Serializable;
import java.util.function.Supplier;

/** Members of every kind, including those that the compiler adds. They determine the computed serialVersionUID. */
public class Members implements Serializable, Comparable<Members>, Cloneable {
    static final int CONSTANT = 3;
    static int counter = Integer.parseInt("1");
    private static String hidden;
    private transient int skipped;
    private int kept;
    protected volatile long stamp;
    transient byte visible;
    final char letter;

    Members() {
        this('a', "more");
    }

    protected Members(char letter, Object... rest) {
        this.letter = letter;
    }

    private Members(int kept) {
        this('b', 1, 2);
        this.kept = kept;
    }

    @Override
    public int compareTo(Members other) {
        assert other != this;
        return kept - other.kept;
    }

    @Override
    public Members clone() throws CloneNotSupportedException {
        return (Members) super.clone();
    }

    private void secret() {
        skipped++;
        hidden = "x";
    }

    public static synchronized void shared(int[][] values, Members... more) {}

    protected final native double elsewhere(String text);

    Supplier<Members> lambda() {
        return () -> new Members(7);
    }

    public class Inner implements Serializable {
        int value = kept;
    }

    protected static class Nested extends Members {
        private long extra;
    }

    private static final class Private implements Serializable {
        boolean set;
    }

    public static Object local() {
        class Local implements Serializable {
            int number = CONSTANT;
        }
        return new Local();
    }

    public static Object anonymous() {
        return new Serializable() {
            short number;
        };
    }

    public abstract static class Abstract implements Serializable, Runnable, Comparable<Object> {}

    /** Only private methods and a private constructor. */
    public static final class Closed implements Serializable {
        private Closed() {}

        private void nothing() {}
    }

    public static class Empty implements Serializable {}
}
