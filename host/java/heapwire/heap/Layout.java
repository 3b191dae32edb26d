package heapwire.heap;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Lays out the fields of an object like HotSpot's default layout since JDK 15. Primitive fields come first, from the
  * largest to the smallest, then references, each kind in the order of declaration. A field goes into the smallest gap
  * that holds it, including gaps that superclasses left, or else to the end. */
public final class Layout<F extends Layout.Member> {
    /** A declared field. {@code size}: its bytes in an object of the 32-bit heap. */
    public interface Member {
        boolean isStatic();

        boolean isReference();

        int size();
    }

    /** Classes with a meaning for the JVM that this runtime does not support, and the reasons. */
    public static final Map<String, String> UNSUPPORTED = Map.of(
            "java.lang.Class", "mirrors of classes belong to the JVM; hold the class's name instead",
            "java.lang.ClassLoader", "classes are not loaded at run time; leave the field that needs it out",
            "java.lang.Thread", "threads of the runtime are no objects (firmware/runtime/thread.h)",
            "java.lang.ref.Reference", "the collector has no weak references; hold the object itself");

    public record Slot<F>(F field, int offset) {}

    private record Gap(int offset, int size) {
        int start(int alignment) {
            return align(offset, alignment);
        }

        boolean fits(int bytes) {
            return start(bytes) + bytes <= offset + size;
        }
    }

    private final List<Gap> gaps;
    private final List<Slot<F>> inherited;
    private final List<Slot<F>> declared = new ArrayList<>();
    private int end;

    /** Makes the layout of an object without fields behind a header of this size. */
    public Layout(int headerSize) {
        gaps = new ArrayList<>();
        inherited = List.of();
        end = headerSize;
    }

    /** Makes the layout of a subclass of {@code parent} that declares {@code fields}. Static fields are ignored. */
    public Layout(Layout<F> parent, List<F> fields) {
        gaps = new ArrayList<>(parent.gaps);
        inherited = parent.slots();
        end = parent.end;
        List<F> order = new ArrayList<>(fields.stream().filter(field -> !field.isStatic() && !field.isReference())
                .toList());
        order.sort(Comparator.<F>comparingInt(Member::size).reversed());
        fields.stream().filter(field -> !field.isStatic() && field.isReference()).forEach(order::add);
        for (F field : order) {
            declared.add(new Slot<>(field, place(field.size())));
        }
        List<F> file = new ArrayList<>(fields);
        declared.sort(Comparator.comparingInt(slot -> file.indexOf(slot.field)));
    }

    /** Returns the fields that the class itself declares, in the order of declaration. */
    public List<Slot<F>> declared() {
        return declared;
    }

    /** Returns all fields, superclasses' first. */
    public List<Slot<F>> slots() {
        List<Slot<F>> all = new ArrayList<>(inherited);
        all.addAll(declared);
        return all;
    }

    /** Returns the offset of the first byte behind the last field, without rounding. */
    public int end() {
        return end;
    }

    /** Places a field, aligned to its size. Of two equally small gaps it takes the one at the higher address. */
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

    public static int align(int offset, int alignment) {
        return (offset + alignment - 1) / alignment * alignment;
    }
}
