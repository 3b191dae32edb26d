package heapwire.classes;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.signature.SignatureReader;
import org.objectweb.asm.signature.SignatureVisitor;

/** A generic type as Kryo resolves it: the descriptor of its raw class (null for a type variable) and its arguments. */
record Generics(String raw, List<Generics> arguments) {
    /** Returns the type of a field. {@code signature} may be null. */
    static Generics of(String descriptor, String signature) {
        if (signature == null) {
            return new Generics(descriptor, List.of());
        }
        Reader reader = new Reader();
        new SignatureReader(signature).acceptType(reader);
        return reader.result();
    }

    /** Returns whether the type contains a type variable. */
    boolean isVariable() {
        return raw == null || arguments.stream().anyMatch(Generics::isVariable);
    }

    private static final class Reader extends SignatureVisitor {
        private static final String OBJECT = "Ljava/lang/Object;";
        private String raw;
        private String name;
        private boolean variable;
        private final List<Reader> arguments = new ArrayList<>();
        private Reader element;

        Reader() {
            super(Opcodes.ASM9);
        }

        Generics result() {
            if (element != null) {
                // The type arguments of an array's elements do not reach its serializer.
                Generics inner = element.result();
                return new Generics(inner.raw() == null ? null : "[" + inner.raw(), List.of());
            }
            return new Generics(variable ? null : raw, arguments.stream().map(Reader::result).toList());
        }

        @Override
        public void visitBaseType(char descriptor) {
            raw = String.valueOf(descriptor);
        }

        @Override
        public void visitTypeVariable(String variableName) {
            variable = true;
        }

        @Override
        public SignatureVisitor visitArrayType() {
            element = new Reader();
            return element;
        }

        @Override
        public void visitClassType(String internalName) {
            name = internalName;
            raw = "L" + name + ";";
        }

        @Override
        public void visitInnerClassType(String inner) {
            name += "$" + inner;
            raw = "L" + name + ";";
        }

        @Override
        public void visitTypeArgument() {
            Reader any = new Reader();
            any.raw = OBJECT;
            arguments.add(any);
        }

        /** Visits a wildcard. Of a bounded one Kryo takes the bound, upper or lower. */
        @Override
        public SignatureVisitor visitTypeArgument(char wildcard) {
            Reader argument = new Reader();
            arguments.add(argument);
            return argument;
        }
    }
}
