package heapwire.heap;

/** What the JVM's own code takes for granted of a text, without a check that would protect the JVM's memory. */
final class Sound {
    private static final HeapClass STRING = layout(String.class);
    private static final long VALUE = Memory.offset(String.class, "value");
    private static final long CODER = Memory.offset(String.class, "coder");
    private static final long HASH = Memory.offset(String.class, "hash");
    private static final long HASH_IS_ZERO = Memory.offset(String.class, "hashIsZero");
    private static final Class<?> BUILDER = StringBuilder.class.getSuperclass();
    private static final long BUILDER_VALUE = Memory.offset(BUILDER, "value");
    private static final long BUILDER_CODER = Memory.offset(BUILDER, "coder");
    private static final long BUILDER_COUNT = Memory.offset(BUILDER, "count");

    private Sound() {}

    /** Returns the layout of a class of the JDK's. */
    static HeapClass layout(Class<?> type) {
        try {
            return HeapClass.of(type);
        } catch (java.io.InvalidClassException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    static boolean isString(HeapClass type) {
        return type == STRING;
    }

    /** Returns what is wrong with a text that has arrived, or null. A string's hash, which nobody has checked, is
      * computed anew. */
    static String problem(Object text) {
        if (text instanceof String string) {
            byte[] value = (byte[]) Memory.UNSAFE.getObject(text, VALUE);
            int coder = Memory.UNSAFE.getByte(text, CODER);
            if (value == null || coder != 0 && coder != 1) {
                return "a String without bytes, or of coder " + coder;
            }
            boolean hashed = Memory.UNSAFE.getInt(text, HASH) != 0 || Memory.UNSAFE.getBoolean(text, HASH_IS_ZERO);
            String problem = coder == 1 ? wide(value) : null;
            Memory.UNSAFE.putInt(text, HASH, 0);
            Memory.UNSAFE.putBoolean(text, HASH_IS_ZERO, false);
            if (hashed && problem == null) {
                string.hashCode(); // sets it
            }
            return problem;
        }
        if (BUILDER.isInstance(text)) {
            byte[] value = (byte[]) Memory.UNSAFE.getObject(text, BUILDER_VALUE);
            int coder = Memory.UNSAFE.getByte(text, BUILDER_CODER);
            int length = Memory.UNSAFE.getInt(text, BUILDER_COUNT);
            boolean good = value != null && (coder == 0 || coder == 1) && length >= 0
                    && length <= value.length >> coder;
            return good ? null : "a text of " + length + " characters without room for them";
        }
        return null;
    }

    /** A string must not be in UTF-16 if Latin-1 has all its characters. */
    private static String wide(byte[] value) {
        if (value.length % 2 != 0) {
            return "a String in UTF-16 of an odd number of bytes";
        }
        for (int i = 1; i < value.length; i += 2) {
            if (value[i] != 0) {
                return null;
            }
        }
        return "a String in UTF-16 that Latin-1 could hold";
    }
}
