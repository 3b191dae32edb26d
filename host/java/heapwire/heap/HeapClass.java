package heapwire.heap;

import heapwire.Numbers.Cereal;
import java.io.InvalidClassException;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** A class of this JVM, with the layout of its objects in the machine's heap (docs/reference/classes.md), metadata
  * included. The <em>body</em> of an object is what lies behind its header there. */
public final class HeapClass {
    private static final int HEADER = Cereal.SLOT * Cereal.INSTANCE_HEADER;
    private static final int ARRAY_HEADER = Cereal.SLOT * Cereal.ARRAY_HEADER;

    /** Fields in which the JDK's maps keep views of themselves, once a program has asked for one. */
    private static final Set<String> VIEWS = Set.of("keySet", "values", "entrySet", "navigableKeySet", "descendingMap");

    /** The class, or why it has no layout. */
    private record Found(HeapClass layout, String problem) {}

    private static final ClassValue<Found> FOUND = new ClassValue<>() {
        @Override
        protected Found computeValue(Class<?> type) {
            String problem = Refused.reason(type);
            return problem != null ? new Found(null, problem) : new Found(new HeapClass(type), null);
        }
    };

    private record Member(Field field) implements Layout.Member {
        @Override
        public boolean isStatic() {
            return Modifier.isStatic(field.getModifiers());
        }

        @Override
        public boolean isReference() {
            return !field.getType().isPrimitive();
        }

        @Override
        public int size() {
            return isReference() ? Cereal.SLOT : bytes(field.getType());
        }
    }

    /** An instance field. {@code offset}: in the body. */
    public record Place(String name, Class<?> type, int offset, int bytes, long address, boolean isView) {
        public boolean isReference() {
            return !type.isPrimitive();
        }
    }

    public final Class<?> type;
    /** A kind of {@link Cereal}: an instance, an array of values, an array of references. */
    public final int kind;
    /** Log2 of the bytes of an array's element, 0 for instances. */
    public final int shift;
    private final int bodyBytes;
    /** The instance fields, superclasses' first, of each class in the order of declaration. */
    public final List<Place> fields;
    private final Place[] values;
    private final Place[] references;
    private final byte[] slots;
    private final long base;
    private final boolean instantiable;
    /** Holds the only object of the class, whose references are not sent; null if there may be others. */
    final Field only;

    private HeapClass(Class<?> type) {
        this.type = type;
        Class<?> element = type.getComponentType();
        kind = element == null ? Cereal.KIND_INSTANCE : element.isPrimitive()
                ? Cereal.KIND_VALUES : Cereal.KIND_REFERENCES;
        shift = element == null ? 0
                : Integer.numberOfTrailingZeros(element.isPrimitive() ? bytes(element) : Cereal.SLOT);
        base = element == null ? 0 : Memory.UNSAFE.arrayBaseOffset(type);
        Layout<Member> layout = element == null ? layout(type) : new Layout<>(HEADER);
        fields = layout.slots().stream().map(HeapClass::place).toList();
        bodyBytes = Layout.align(layout.end(), Cereal.GRANULE) - HEADER;
        values = fields.stream().filter(field -> !field.isReference()).toArray(Place[]::new);
        references = fields.stream().filter(Place::isReference).sorted(Comparator.comparingInt(Place::offset))
                .toArray(Place[]::new);
        slots = new byte[bodyBytes / Cereal.SLOT];
        for (Place each : references) {
            slots[each.offset / Cereal.SLOT] = 1;
        }
        only = Resolved.only(type);
        instantiable = element != null || !Modifier.isAbstract(type.getModifiers());
    }

    /** Returns the layout of a class. Throws InvalidClassException if objects of the class cannot be sent. */
    public static HeapClass of(Class<?> type) throws InvalidClassException {
        Found found = FOUND.get(type);
        if (found.problem != null) {
            throw new InvalidClassException(type.getName(), found.problem);
        }
        return found.layout;
    }

    private static Layout<Member> layout(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        List<Member> fields = Stream.of(type.getDeclaredFields()).map(Member::new).toList();
        return new Layout<>(parent == null ? new Layout<>(HEADER) : layout(parent), fields);
    }

    private static Place place(Layout.Slot<Member> slot) {
        Field field = slot.field().field();
        return new Place(field.getName(), field.getType(), slot.offset() - HEADER, slot.field().size(),
                Memory.offset(field), isView(field));
    }

    private static boolean isView(Field field) {
        Class<?> owner = field.getDeclaringClass();
        return VIEWS.contains(field.getName()) && Modifier.isTransient(field.getModifiers())
                && Map.class.isAssignableFrom(owner)
                && owner.getClassLoader() == null;
    }

    private static int bytes(Class<?> primitive) {
        return primitive == boolean.class ? 1
                : Memory.UNSAFE.arrayIndexScale(Array.newInstance(primitive, 0).getClass());
    }

    public boolean isArray() {
        return kind != Cereal.KIND_INSTANCE;
    }

    /** Returns the bytes in front of a body. */
    public int header() {
        return isArray() ? ARRAY_HEADER : HEADER;
    }

    /** Returns the bytes of an object of the class. {@code length}: of an array. */
    public long size(long length) {
        return header() + body(length);
    }

    /** Returns the bytes of a body. */
    public long body(long length) {
        return isArray() ? ((length << shift) + Cereal.GRANULE - 1) & -Cereal.GRANULE : bodyBytes;
    }

    /** Returns, for each slot of an instance's body, 1 if it holds a reference, 0 if not; for an array nothing. */
    public byte[] map() {
        return slots.clone();
    }

    /** Returns whether a slot of the body holds a reference. */
    public boolean isReference(int slot, int length) {
        return isArray() ? kind == Cereal.KIND_REFERENCES && slot < length : slots[slot] != 0;
    }

    /** Returns the number of references that an object holds. */
    public int references(int length) {
        return kind == Cereal.KIND_REFERENCES ? length : references.length;
    }

    public int length(Object object) {
        return isArray() ? Array.getLength(object) : 0;
    }

    /** Returns an object whose constructor has not run. Throws InvalidClassException for an abstract class. */
    public Object make(int length) throws InvalidClassException {
        if (isArray()) {
            return Array.newInstance(type.getComponentType(), length);
        }
        try {
            if (instantiable) {
                return Memory.UNSAFE.allocateInstance(type);
            }
        } catch (InstantiationException | LinkageError error) {
            throw (InvalidClassException) new InvalidClassException(type.getName(), "cannot be made").initCause(error);
        }
        throw new InvalidClassException(type.getName(), "is abstract");
    }

    /** Writes the values of an object at their places in its body. Other bytes stay. */
    public void values(Object object, byte[] to, int body) {
        if (kind == Cereal.KIND_VALUES) {
            int bytes = Array.getLength(object) << shift;
            Objects.checkFromIndexSize(body, bytes, to.length);
            Memory.UNSAFE.copyMemory(object, base, to, Memory.BYTES + body, bytes);
        } else if (kind == Cereal.KIND_INSTANCE) {
            Objects.checkFromIndexSize(body, bodyBytes, to.length);
            for (Place each : values) {
                Memory.copy(object, each.address, to, Memory.BYTES + body + each.offset, each.bytes);
            }
        }
    }

    /** Sets the values of an object from its body. Returns the offset in the body of a boolean that is neither 0 nor 1,
      * which the JVM must not see, or -1. */
    public int fill(Object object, byte[] from, int body) {
        if (kind == Cereal.KIND_VALUES) {
            int bytes = Array.getLength(object) << shift;
            Objects.checkFromIndexSize(body, bytes, from.length);
            for (int i = 0; type == boolean[].class && i < bytes; i++) {
                if ((from[body + i] & ~1) != 0) {
                    return i;
                }
            }
            Memory.UNSAFE.copyMemory(from, Memory.BYTES + body, object, base, bytes);
        } else if (kind == Cereal.KIND_INSTANCE) {
            Objects.checkFromIndexSize(body, bodyBytes, from.length);
            for (Place each : values) {
                if (each.type == boolean.class && (from[body + each.offset] & ~1) != 0) {
                    return each.offset;
                }
                Memory.copy(from, Memory.BYTES + body + each.offset, object, each.address, each.bytes);
            }
        }
        return -1;
    }

    /** Returns a reference of an object, but null for a map's view of itself. They are counted in the order of
      * slots. */
    public Object reference(Object object, int number) {
        if (isArray()) {
            return ((Object[]) object)[number];
        }
        Place place = references[number];
        return only != null || place.isView ? null : Memory.UNSAFE.getObject(object, place.address);
    }

    /** Sets a reference. Returns false if the type of the field or of the elements does not allow it. */
    public boolean reference(Object object, int number, Object target) {
        if (target != null && !type(number).isInstance(target)) {
            return false;
        }
        if (isArray()) {
            ((Object[]) object)[number] = target;
        } else {
            Memory.UNSAFE.putObject(object, references[number].address, target);
        }
        return true;
    }

    /** Returns the offset of a reference in the body. */
    public int place(int number) {
        return isArray() ? Cereal.SLOT * number : references[number].offset;
    }

    private Class<?> type(int number) {
        return isArray() ? type.getComponentType() : references[number].type;
    }

    /** Returns what holds a reference, for messages. */
    String holder(int number) {
        return isArray() ? "element " + number : "field " + references[number].name;
    }

    /** Returns the number of the reference of this name, in a class without two of them. */
    int reference(String name) {
        for (int i = 0; i < references.length; i++) {
            if (references[i].name.equals(name)) {
                return i;
            }
        }
        throw new IllegalStateException(type + " has no field " + name);
    }
}
