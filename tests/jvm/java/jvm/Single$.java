package jvm;

import java.io.Serializable;

/** A class with one object, as Scala makes it of an {@code object}. */
public final class Single$ implements Serializable {
    private static final long serialVersionUID = 1L;
    public static final Single$ MODULE$ = new Single$();

    private final Object kept = new int[100];

    private Single$() {}
}
