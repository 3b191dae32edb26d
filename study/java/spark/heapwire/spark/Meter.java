package heapwire.spark;

/** What the tasks of a run took: nanoseconds and counts. One task runs at a time (`local[1]`), so one thread writes
  * the fields while a job runs. */
final class Meter {
    static final Sum serialize = new Sum();
    static final Sum write = new Sum();
    static final Sum deserialize = new Sum();
    static final Sum read = new Sum();
    static long tasks;
    /** Of the processor, for all tasks. */
    static long run;
    static long rootsWritten;
    static long rootsRead;
    static long bytesWritten;
    static long bytesRead;
    /** Not null in the run in which objects are counted and records are kept; nothing is timed in that run. */
    static Inspector inspector;

    private Meter() {
    }

    static void clear() {
        for (Sum each : new Sum[] {serialize, write, deserialize, read}) {
            each.nanoseconds = each.intervals = each.stopped = 0;
        }
        tasks = run = rootsWritten = rootsRead = bytesWritten = bytesRead = 0;
    }

    /** Nanoseconds that an empty interval is measured to last: what the clock adds to each interval. */
    static double emptyInterval() {
        int rounds = 1_000_000;
        Sum sum = new Sum();
        for (int pass = 0; pass < 3; pass++) {  // the last one counts: the first ones are interpreted
            sum = new Sum();
            for (int i = 0; i < rounds; i++) {
                long start = System.nanoTime();
                sum.add(System.nanoTime() - start);
            }
        }
        return (double) sum.total() / rounds;
    }

    /** Times one end of a stream, interval by interval, less what the stream below it takes meanwhile. */
    static final class Watch {
        private final Sum sum;
        private final Watch lower;
        private long nanoseconds;
        private long started;
        private long before;

        /** lower: of the stream below, or null. */
        Watch(Sum sum, Watch lower) {
            this.sum = sum;
            this.lower = lower;
        }

        private long below() {
            return lower == null ? 0 : lower.nanoseconds;
        }

        void begin() {
            before = below();
            started = System.nanoTime();
        }

        void end() {
            long took = System.nanoTime() - started - (below() - before);
            nanoseconds += took;
            sum.add(took);
        }
    }

    /** Nanoseconds of many short intervals. One that is longer than a millisecond is one in which the thread was
      * stopped, by the collector or by another process: it counts as the mean of the others. */
    static final class Sum {
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
}
