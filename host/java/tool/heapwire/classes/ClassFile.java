package heapwire.classes;

import heapwire.heap.Layout;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.AnnotationVisitor;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The declarations of a class file, as far as layout and {@code serialVersionUID} depend on them. */
public final class ClassFile {
    /** A field. {@code constant}: the value of its ConstantValue attribute, or null. {@code signature}: its generic
      * type, or null. */
    public record Field(String name, String descriptor, int access, Object constant, String signature)
            implements Layout.Member {
        @Override
        public boolean isStatic() {
            return (access & Opcodes.ACC_STATIC) != 0;
        }

        @Override
        public boolean isReference() {
            return descriptor.startsWith("L") || descriptor.startsWith("[");
        }

        @Override
        public int size() {
            return switch (descriptor.charAt(0)) {
                case 'Z', 'B' -> 1;
                case 'C', 'S' -> 2;
                case 'J', 'D' -> 8;
                default -> 4;
            };
        }
    }

    public record Method(String name, String descriptor, int access) {}

    private String name;
    private String superName;
    private int access;
    private int reflectedAccess;
    private boolean contended;
    private final List<String> interfaces = new ArrayList<>();
    private final List<Field> fields = new ArrayList<>();
    private final List<Method> methods = new ArrayList<>();

    private ClassFile() {}

    /** Parses a class file. {@code origin} names the class in an error. */
    public static ClassFile parse(byte[] bytes, String origin) {
        ClassFile file = new ClassFile();
        try {
            new ClassReader(bytes).accept(file.new Visitor(), ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG);
        } catch (IllegalArgumentException | IndexOutOfBoundsException error) {
            throw new ClassError(origin + ": not a class file that this tool reads (" + error.getMessage()
                    + "); compile it with javac --release 17");
        }
        return file;
    }

    /** Returns the name, as of {@link Class#getName}. */
    public String name() {
        return name.replace('/', '.');
    }

    /** Returns the name, as of {@link Class#getName}, of the superclass, or null for java.lang.Object. */
    public String superName() {
        return superName == null ? null : superName.replace('/', '.');
    }

    /** Returns the names, as of {@link Class#getName}, of the direct interfaces. */
    public List<String> interfaces() {
        return interfaces;
    }

    /** Returns the fields in the order of the class file, including static ones. */
    public List<Field> fields() {
        return fields;
    }

    /** Returns the methods, including constructors and {@code <clinit>}. */
    public List<Method> methods() {
        return methods;
    }

    /** Returns the result of {@link Class#getModifiers}: for a nested class, its modifiers as a member. */
    public int modifiers() {
        return reflectedAccess;
    }

    public boolean is(int flag) {
        return (access & flag) != 0;
    }

    /** Returns whether class or field asks for padding by @Contended. */
    public boolean isContended() {
        return contended;
    }

    private final class Visitor extends ClassVisitor {
        Visitor() {
            super(Opcodes.ASM9);
        }

        @Override
        public void visit(int version, int flags, String internalName, String signature, String parent,
                String[] implemented) {
            name = internalName;
            superName = parent;
            access = reflectedAccess = flags;
            for (String each : implemented) {
                interfaces.add(each.replace('/', '.'));
            }
        }

        @Override
        public void visitInnerClass(String inner, String outer, String simpleName, int flags) {
            if (inner.equals(name)) {
                reflectedAccess = flags;
            }
        }

        @Override
        public AnnotationVisitor visitAnnotation(String descriptor, boolean visible) {
            contended |= isContendedAnnotation(descriptor);
            return null;
        }

        @Override
        public FieldVisitor visitField(int flags, String field, String descriptor, String signature, Object constant) {
            fields.add(new Field(field, descriptor, flags, constant, signature));
            return new FieldVisitor(Opcodes.ASM9) {
                @Override
                public AnnotationVisitor visitAnnotation(String annotation, boolean visible) {
                    contended |= isContendedAnnotation(annotation);
                    return null;
                }
            };
        }

        @Override
        public MethodVisitor visitMethod(int flags, String method, String descriptor, String signature,
                String[] exceptions) {
            methods.add(new Method(method, descriptor, flags));
            return null;
        }

        private static boolean isContendedAnnotation(String descriptor) {
            return descriptor.equals("Ljdk/internal/vm/annotation/Contended;");
        }
    }
}
