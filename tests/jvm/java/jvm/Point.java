package jvm;

import java.io.Serializable;

/** A record, whose fields no setter reaches. */
public record Point(int x, long y, Object what) implements Serializable {}
