package heapwire.classes;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Where fields lie in an object, as HotSpot's default layout has it since JDK 15: primitive fields
  * from the largest to the smallest, then references, each kind in the order of declaration; a field
  * goes into the smallest gap that holds it, those that superclasses left among them, else to the end. */
public final class Layout {
    public record Slot(ClassFile.Field field, int offset) {}

    private record Gap(int offset, int size) {
        int start(int alignment) {
            return align(offset, alignment);
        }

        boolean fits(int bytes) {
            return start(bytes) + bytes <= offset + size;
        }
    }

    private final List<Gap> gaps;
    private final List<Slot> inherited;
    private final List<Slot> declared = new ArrayList<>();
    private int end;

    /** An object without fields behind a header of this size. */
    public Layout(int headerSize) {
        gaps = new ArrayList<>();
        inherited = List.of();
        end = headerSize;
    }

    /** A subclass of {@code parent} that declares {@code fields}; static ones are passed over. */
    public Layout(Layout parent, List<ClassFile.Field> fields) {
        gaps = new ArrayList<>(parent.gaps);
        inherited = parent.slots();
        end = parent.end;
        List<ClassFile.Field> order = new ArrayList<>(fields.stream().filter(field -> !field.isStatic() && !field.isReference()).toList());
        order.sort(Comparator.comparingInt(ClassFile.Field::size).reversed());
        fields.stream().filter(field -> !field.isStatic() && field.isReference()).forEach(order::add);
        for (ClassFile.Field field : order) {
            declared.add(new Slot(field, place(field.size())));
        }
        List<ClassFile.Field> file = new ArrayList<>(fields);
        declared.sort(Comparator.comparingInt(slot -> file.indexOf(slot.field)));
    }

    /** The fields that the class itself declares, in the order of declaration. */
    public List<Slot> declared() {
        return declared;
    }

    /** Superclasses' fields first. */
    public List<Slot> slots() {
        List<Slot> all = new ArrayList<>(inherited);
        all.addAll(declared);
        return all;
    }

    /** First byte behind the last field, not rounded. */
    public int end() {
        return end;
    }

    /** Fields are aligned to their size. Of two gaps as small the one at the higher address is taken. */
    private int place(int bytes) {
        Gap best = null;
        for (Gap gap : gaps) {
            if (gap.fits(bytes) && (best == null || gap.size <= best.size)) {
                best = gap;
            }
        }
        if (best == null) {
            best = new Gap(end, align(end, bytes) + bytes - end);
            end += best.size;
            gaps.add(best);
        }
        int start = best.start(bytes);
        int at = gaps.indexOf(best);
        gaps.remove(at);
        int after = best.offset + best.size - start - bytes;
        if (after > 0) {
            gaps.add(at, new Gap(start + bytes, after));
        }
        if (start > best.offset) {
            gaps.add(at, new Gap(best.offset, start - best.offset));
        }
        return start;
    }

    static int align(int offset, int alignment) {
        return (offset + alignment - 1) / alignment * alignment;
    }
}
