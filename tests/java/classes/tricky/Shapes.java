package tricky;

import java.io.Serializable;

/** Fields that leave gaps, and subclasses that fill them. */
public class Shapes {
    public static class Int {
        int a;
    }

    public static class LongAfterInt extends Int {
        long b;
        byte c;
    }

    public static class FillsGap extends LongAfterInt {
        short d;
        Object e;
        boolean f;
    }

    public static class Bytes {
        byte a;
        byte b;
        byte c;
    }

    public static class ReferenceFirst extends Bytes {
        Object r;
        byte d;
        char e;
        long f;
        int g;
        double h;
        Object s;
    }

    public static class None extends ReferenceFirst {}

    public static class AfterNone extends None {
        byte last;
    }

    /** Not Serializable, but a subclass is. Both have metadata, and so has the sibling of the subclass. */
    public static class Base {
        int inherited;
    }

    public static class Saved extends Base implements Serializable {
        String text;
    }

    public static class Sibling extends Base {
        Object other;
    }

    /** More than 30 slots, with references in the first and in the second word of the bitmap. */
    public static class Wide implements Serializable {
        Object r0;
        long l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11, l12, l13;
        int i0;
        Object r1, r2, r3, r4;
    }

    /** More than 30 slots without references. */
    public static class WideNumbers {
        double d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15, d16;
    }

    public static class Größe {
        int maß$;
    }
}
