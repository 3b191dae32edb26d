package heapwire.classes;

import static org.objectweb.asm.Opcodes.*;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** {@code serialVersionUID} as java.io.ObjectStreamClass returns it: declared, or computed according to the Java Object
  * Serialization Specification, section 4.6. */
public final class SerialVersion {
    private static final int CLASS = ACC_PUBLIC | ACC_FINAL | ACC_INTERFACE | ACC_ABSTRACT;
    private static final int FIELD = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL
            | ACC_VOLATILE | ACC_TRANSIENT;
    private static final int METHOD = ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED | ACC_STATIC | ACC_FINAL
            | ACC_SYNCHRONIZED | ACC_NATIVE | ACC_ABSTRACT | ACC_STRICT;

    private record Member(String name, String descriptor, int modifiers) {}

    private SerialVersion() {}

    /** Returns the version. It is 0 for classes that are not Serializable, for enums, and for records that declare
      * none. */
    public static long of(ClassFile file, ClassPath path) {
        if (!path.isSubtype(file.name(), "java.io.Serializable") || path.isSubtype(file.name(), "java.lang.Enum")) {
            return 0;
        }
        for (ClassFile.Field field : file.fields()) {
            // long, or a type that widens to long. The JVM ignores the field if it has any other type.
            if (field.name().equals("serialVersionUID") && "JISBC".contains(field.descriptor())
                    && (field.access() & (ACC_STATIC | ACC_FINAL)) == (ACC_STATIC | ACC_FINAL)) {
                if (field.constant() instanceof Number value) {
                    return value.longValue();
                }
                throw new ClassError(file.name()
                        + ": serialVersionUID is not a compile-time constant, so that only a run of the"
                        + " class could tell it; initialize it with a literal");
            }
        }
        return "java.lang.Record".equals(file.superName()) ? 0 : computed(file);
    }

    /** Returns the version of an array class. {@code name} is that of Class.getName. The modifiers are those of the
      * innermost element class. */
    public static long ofArray(String name, int elementModifiers) {
        int access = elementModifiers & (ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED);
        return digest(out -> {
            out.writeUTF(name);
            out.writeInt((access | ACC_FINAL | ACC_ABSTRACT) & CLASS);
        });
    }

    private static long computed(ClassFile file) {
        List<Member> fields = new ArrayList<>();
        for (ClassFile.Field field : file.fields()) {
            if ((field.access() & ACC_PRIVATE) == 0 || (field.access() & (ACC_STATIC | ACC_TRANSIENT)) == 0) {
                fields.add(new Member(field.name(), field.descriptor(), field.access() & FIELD));
            }
        }
        fields.sort(Comparator.comparing(Member::name));
        List<Member> constructors = new ArrayList<>();
        List<Member> methods = new ArrayList<>();
        boolean initializer = false;
        for (ClassFile.Method method : file.methods()) {
            Member member = new Member(method.name(), method.descriptor(), method.access() & METHOD);
            if (method.name().equals("<clinit>")) {
                initializer = true;
            } else if ((method.access() & ACC_PRIVATE) == 0) {
                (method.name().equals("<init>") ? constructors : methods).add(member);
            }
        }
        constructors.sort(Comparator.comparing(Member::descriptor));
        methods.sort(Comparator.comparing(Member::name).thenComparing(Member::descriptor));
        boolean hasInitializer = initializer;
        return digest(out -> {
            out.writeUTF(file.name());
            out.writeInt(file.modifiers() & CLASS);
            for (String each : file.interfaces().stream().sorted().toList()) {
                out.writeUTF(each);
            }
            write(out, fields);
            if (hasInitializer) {
                write(out, List.of(new Member("<clinit>", "()V", ACC_STATIC)));
            }
            write(out, constructors);
            write(out, methods);
        });
    }

    private static void write(DataOutputStream out, List<Member> members) throws IOException {
        for (Member member : members) {
            out.writeUTF(member.name);
            out.writeInt(member.modifiers);
            // Descriptors of methods are written with dots, those of fields with slashes.
            boolean isMethod = member.descriptor.startsWith("(");
            out.writeUTF(isMethod ? member.descriptor.replace('/', '.') : member.descriptor);
        }
    }

    interface Writer {
        void write(DataOutputStream out) throws IOException;
    }

    /** Returns the bytes that {@code writer} writes. */
    static byte[] written(Writer writer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            writer.write(new DataOutputStream(bytes));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return bytes.toByteArray();
    }

    /** Returns the first eight bytes of the SHA-1, as a little-endian number. */
    private static long digest(Writer writer) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA").digest(written(writer));
            long value = 0;
            for (int i = 7; i >= 0; i--) {
                value = value << 8 | hash[i] & 0xff;
            }
            return value;
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }
}
