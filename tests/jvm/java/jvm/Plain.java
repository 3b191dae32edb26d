package jvm;

import java.io.Serializable;

/** A field of every kind, some of them twice, so that there are gaps. */
public class Plain implements Serializable {
    private static final long serialVersionUID = 1L;

    public boolean truth;
    public byte tiny;
    public char letter;
    public short small;
    public int number;
    public long large;
    public float real;
    public double precise;
    public boolean other;
    public String text;
    public int[] numbers;
    public Object any;
    public Plain next;
    public final int fixed;

    public Plain(int fixed) {
        this.fixed = fixed;
    }
}
