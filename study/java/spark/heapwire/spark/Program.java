package heapwire.spark;

import org.apache.spark.api.java.JavaSparkContext;

/** A program of the papers, in small, on an input that it makes itself. */
public interface Program {
    /** As the rows name it. */
    String name();

    /** The input, in words. */
    String input();

    /** How many lines, points, vertices and so on the input has. */
    long inputs();

    /** Runs it on Spark; answers with a number that tells whether the result is right. */
    double run(JavaSparkContext context);

    /** The same number, by a plain computation without Spark. */
    double expected();
}
