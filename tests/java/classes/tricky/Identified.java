package tricky;

import java.io.Externalizable;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.Serializable;

/** Declared serialVersionUIDs: valid ones, and ones that the JVM ignores. */
public class Identified implements Serializable {
    private static final long serialVersionUID = 0x8000_0000_0000_0001L;

    public static class Inherited extends Identified {}

    public static class Expression implements Serializable {
        static final long serialVersionUID = 3L * Integer.MAX_VALUE + 'a';
    }

    public static class Narrow implements Serializable {
        static final int serialVersionUID = -5;
    }

    public static class Letter implements Serializable {
        static final char serialVersionUID = 'z';
    }

    public static class Real implements Serializable {
        static final float serialVersionUID = 5;
    }

    public static class Variable implements Serializable {
        static long serialVersionUID = 5;
    }

    public static class Instance implements Serializable {
        final long serialVersionUID = 5;
    }

    public static class Plain {
        static final long serialVersionUID = 5;
        int value;
    }

    public record Point(int x, double y) implements Serializable {}

    public record Versioned(int x) implements Serializable {
        private static final long serialVersionUID = 77;
    }

    public static class External implements Externalizable {
        long value;

        @Override
        public void writeExternal(ObjectOutput out) {}

        @Override
        public void readExternal(ObjectInput in) {}
    }

    public enum Simple { ONE, TWO }

    public enum Bodied {
        FIRST {
            @Override
            int code() {
                return 1;
            }
        },
        SECOND;

        static final Bodied ALIAS = SECOND;
        private int extra;

        int code() {
            return extra;
        }
    }
}
