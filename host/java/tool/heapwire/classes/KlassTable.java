package heapwire.classes;

import heapwire.heap.Layout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Opcodes;

/** The classes of a program with their layouts, in the order of the list, superclasses before their subclasses. */
final class KlassTable {
    private static final String OBJECT = "java.lang.Object";

    private final ClassPath path;
    private final Constants constants;
    private final Map<String, ClassList.Entry> entries = new LinkedHashMap<>();
    private final Set<String> families = new HashSet<>();
    private final Map<String, Klass> klasses = new LinkedHashMap<>();

    KlassTable(ClassPath path, Constants constants, List<ClassList.Entry> list) {
        this.path = path;
        this.constants = constants;
        list.forEach(this::select);
        entries.values().forEach(this::findMetadata);
        entries.keySet().forEach(this::define);
        checkNames();
    }

    List<Klass> klasses() {
        return new ArrayList<>(klasses.values());
    }

    /** Adds the class after its superclasses, unless it is there already. */
    private void select(ClassList.Entry entry) {
        ClassList.Entry before = entries.get(entry.name());
        if (before != null) {
            // A superclass that was added automatically gets the options of its line. A class listed twice keeps its
            // first ones.
            boolean metadata = before.metadata() || entry.metadata();
            String alias = before.alias() != null ? before.alias() : entry.alias();
            entries.put(entry.name(), new ClassList.Entry(entry.name(), metadata, alias, before.where()));
            return;
        }
        if (Names.isArray(entry.name())) {
            String element = Names.elementClass(entry.name());
            if (element != null) {
                path.find(element, "element of an array, " + entry.where());
            }
            selectObject();
        } else {
            ClassFile file = path.find(entry.name(), entry.where());
            checkSupported(file);
            if (file.superName() != null) {
                select(new ClassList.Entry(file.superName(), false, null, "superclass of " + file.name()));
            }
        }
        entries.put(entry.name(), entry);
    }

    private void selectObject() {
        select(new ClassList.Entry(OBJECT, false, null, "superclass of arrays"));
    }

    private void checkSupported(ClassFile file) {
        if (file.is(Opcodes.ACC_INTERFACE)) {
            throw new ClassError(file.name() + ": an interface has no objects; name the classes that implement it");
        }
        String reason = Layout.UNSUPPORTED.get(file.name());
        if (reason != null) {
            throw new ClassError(file.name() + ": not supported: " + reason);
        }
        if (file.isContended()) {
            throw new ClassError(file.name()
                    + ": not supported: it is padded by @Contended; use another class in its stead");
        }
    }

    /** Finds the families with metadata. All classes under one child of java.lang.Object have metadata if one of them
      * is Serializable, because an inherited field must have the same offset in all of them. */
    private void findMetadata(ClassList.Entry entry) {
        if (!Names.isArray(entry.name())
                && (entry.metadata() || path.isSubtype(entry.name(), "java.io.Serializable"))) {
            families.add(family(entry.name()));
        }
    }

    private String family(String name) {
        String parent = path.find(name, "superclass").superName();
        return parent == null || parent.equals(OBJECT) ? name : family(parent);
    }

    private void define(String name) {
        ClassList.Entry entry = entries.get(name);
        String cName = entry.alias() != null ? entry.alias() : Names.c(name);
        int index = klasses.size();
        if (Names.isArray(name)) {
            String element = Names.elementClass(name);
            int modifiers = element == null ? Opcodes.ACC_PUBLIC : path.find(element, "element").modifiers();
            klasses.put(name, new Klass(index, name, cName, null, klasses.get(OBJECT), null, true, 0, 0,
                    SerialVersion.ofArray(name, modifiers), true, false));
            return;
        }
        ClassFile file = path.find(name, "");
        Klass parent = file.superName() == null ? null : klasses.get(file.superName());
        boolean metadata = families.contains(family(name));
        boolean first = parent == null || parent.name().equals(OBJECT);
        Layout<ClassFile.Field> layout = new Layout<>(first ? new Layout<>(headerSize(metadata)) : parent.layout(),
                file.fields());
        int size = Layout.align(layout.end(), constants.get("HW_OBJECT_ALIGNMENT"));
        klasses.put(name, new Klass(index, name, cName, file, parent, layout, metadata, size,
                (size - constants.get("HW_OBJECT_HEADER_SIZE")) / 4, SerialVersion.of(file, path),
                path.isSubtype(name, "java.io.Serializable"),
                path.isSubtype(name, "java.io.Externalizable")));
    }

    private int headerSize(boolean metadata) {
        return metadata ? constants.get("HW_OBJECT_METADATA_INSTANCE") + constants.get("HW_OBJECT_METADATA_SIZE")
                : constants.get("HW_OBJECT_HEADER_SIZE");
    }

    /** Checks that no two macros of the header have the same name. */
    private void checkNames() {
        Map<String, String> owners = new HashMap<>(Map.of(CHeader.COUNT, "the number of classes"));
        for (Klass klass : klasses.values()) {
            claim(owners, CHeader.klass(klass), klass.name());
            if (!klass.isArray()) {
                klass.layout().declared().forEach(slot ->
                        claim(owners, CHeader.offset(klass, slot), klass.name() + "." + slot.field().name()));
            }
        }
    }

    private static void claim(Map<String, String> owners, String macro, String owner) {
        String other = owners.put(macro, owner);
        if (other != null) {
            throw new ClassError("the C name " + macro + " would stand for " + other + " and for " + owner
                    + "; give one of the classes another name: `" + owner + " as OtherName` in the list of classes");
        }
    }
}
