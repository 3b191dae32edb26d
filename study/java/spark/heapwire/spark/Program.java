package heapwire.spark;

import org.apache.spark.api.java.JavaSparkContext;

/** A program of the papers, in small, on an input that it makes itself. */
public abstract class Program {
    /** How many times as large as in small the inputs are (`heapwire.scale`). */
    protected static final int SCALE = Integer.getInteger("heapwire.scale", 1);
    final String name;
    final long inputs;
    final String input;

    /** inputs: how many lines, points, vertices and so on the input has; input: the input, in words. */
    protected Program(String name, long inputs, String input, Object... numbers) {
        this.name = name;
        this.inputs = inputs;
        this.input = input.formatted(numbers);
    }

    /** Runs it on Spark; answers with a number that tells whether the result is right. */
    public abstract double run(JavaSparkContext context);

    /** The same number, by a plain computation without Spark. */
    public abstract double expected();
}
