package heapwire.spark;

/** Nanoseconds of many short intervals. One that is longer than a millisecond is one in which the thread was stopped,
  * by the collector or by another process: it counts as the mean of the others. */
final class Sum {
    private static final long LONG = 1_000_000;
    private long nanoseconds;
    private long intervals;
    private long stopped;

    void add(long took) {
        if (took > LONG) {
            stopped++;
        } else {
            nanoseconds += took;
            intervals++;
        }
    }

    long total() {
        return nanoseconds + (intervals == 0 ? 0 : stopped * nanoseconds / intervals);
    }

    long intervals() {
        return intervals + stopped;
    }

    long stopped() {
        return stopped;
    }
}
