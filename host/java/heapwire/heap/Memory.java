package heapwire.heap;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteOrder;
import sun.misc.Unsafe;

/** Fields of objects as memory. Final fields, fields of records and those of packages that are not open have no other
  * access that does not call the class's code. */
final class Memory {
    static final Unsafe UNSAFE;
    /** Where the bytes of a byte[] begin. */
    static final long BYTES = Unsafe.ARRAY_BYTE_BASE_OFFSET;
    private static final MethodHandle OFFSET;

    static {
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new UnsupportedOperationException("heapwire needs a little-endian machine, as its formats are");
        }
        try {
            Field field = Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            UNSAFE = (Unsafe) field.get(null);
            // The public class refuses records; the JDK's own does not.
            Field trusted = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
            var lookup = (MethodHandles.Lookup) UNSAFE.getObject(UNSAFE.staticFieldBase(trusted),
                    UNSAFE.staticFieldOffset(trusted));
            Class<?> own = Class.forName("jdk.internal.misc.Unsafe");
            OFFSET = lookup.findVirtual(own, "objectFieldOffset", MethodType.methodType(long.class, Field.class))
                    .bindTo(lookup.findStatic(own, "getUnsafe", MethodType.methodType(own)).invoke());
        } catch (Throwable error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    private Memory() {}

    static long offset(Field field) {
        try {
            return (long) OFFSET.invoke(field);
        } catch (Throwable error) {
            throw new IllegalStateException(field.toString(), error);
        }
    }

    /** Returns the offset of a field of the JDK's. */
    static long offset(Class<?> type, String name) {
        try {
            return offset(type.getDeclaredField(name));
        } catch (NoSuchFieldException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    /** Returns what a static field of the JDK's holds. */
    static Object constant(Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            return UNSAFE.getObject(UNSAFE.staticFieldBase(field), UNSAFE.staticFieldOffset(field));
        } catch (NoSuchFieldException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    /** Copies a value of 1, 2, 4 or 8 bytes. */
    static void copy(Object from, long at, Object to, long there, int bytes) {
        switch (bytes) {
            case 1 -> UNSAFE.putByte(to, there, UNSAFE.getByte(from, at));
            case 2 -> UNSAFE.putShort(to, there, UNSAFE.getShort(from, at));
            case 4 -> UNSAFE.putInt(to, there, UNSAFE.getInt(from, at));
            default -> UNSAFE.putLong(to, there, UNSAFE.getLong(from, at));
        }
    }
}
