package old;

import java.io.Serializable;

/** For javac --release 8, which adds accessors for private members that nested classes use, and supports strictfp. */
public class Access implements Serializable {
    private int value;

    private void change(int by) {
        value += by;
    }

    public strictfp double exact(double x) {
        return x * value;
    }

    public static strictfp class Strict implements Serializable {
        double y;

        public double twice() {
            return 2 * y;
        }
    }

    public class Reader implements Serializable {
        int read() {
            change(1);
            return value++;
        }
    }

    static Object make() {
        return new Hidden();
    }

    private static class Hidden implements Serializable {}
}
